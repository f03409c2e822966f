/** The region that stands in the host name of an AWS service; null where none does. */
export function regionOfHost(hostname: string): string | null {
  return /\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(hostname)?.[1] ?? null
}
