import { refused } from './refused.ts'
import { readToken } from './token.ts'

/** Calls the page's own server. Throws what it says where that is no success. */
export async function callPage(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetchPage(path, init)
  if (response.ok) return response
  throw await refused(response)
}

/** The same, whatever the status. Throws in words where nothing answers. */
export async function fetchPage(path: string, init: RequestInit = {}): Promise<Response> {
  const token = readToken()
  const headers = {
    ...(token !== null && { 'x-backstop-page': token }),
    ...(init.body && { 'content-type': 'application/json' }),
  }
  try {
    return await fetch(`/local/page/${path}`, { ...init, headers })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new Error('The gateway cannot be reached.', { cause: error })
  }
}

/** Sends an object. */
export const postPage = (path: string, body: object, signal?: AbortSignal): Promise<Response> =>
  fetchPage(path, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) })
