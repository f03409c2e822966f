const STORED = 'backstop-page-token'

/**
 * The page's token. It comes in the part of the address that is never sent anywhere, and leaves the address at once, so
 * that no picture of the screen and no bookmark keeps it; this tab alone remembers it.
 */
export function readToken(): string | null {
  const { hash, pathname } = location
  if (hash.length > 20) {
    keepToken(hash.slice(1))
    history.replaceState(null, '', pathname)
  }
  return sessionStorage.getItem(STORED)
}

/** Takes a token, or the link that holds one. */
export function keepToken(text: string): void {
  sessionStorage.setItem(STORED, text.slice(text.indexOf('#') + 1).trim())
}
