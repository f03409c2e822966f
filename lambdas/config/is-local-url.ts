const LOCAL_HOSTS = /^(?:localhost|.*\.localhost|.*\.local|\[::1\]|127\.\d+\.\d+\.\d+)$/
const PRIVATE_HOSTS = /^(?:10\.\d+|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.\d+\.\d+$|^\[f[cd]|^\[fe80:/

/** Whether a base URL lies on this machine or on a private network, where its owner rarely has another. */
export function isLocalUrl(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return LOCAL_HOSTS.test(hostname) || PRIVATE_HOSTS.test(hostname)
}
