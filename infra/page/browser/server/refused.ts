/** What the server said instead of doing what it was told. */
export class PageRefused extends Error {
  override readonly name = 'PageRefused'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Reads the message of an unsuccessful answer. */
export async function refused(response: Response): Promise<PageRefused> {
  const text = await response.text().catch(() => '')
  return new PageRefused(response.status, messageIn(text) ?? `The gateway answered ${response.status}.`)
}

/** The message in the shape that every error of the gateway has; null in any other. */
export function messageIn(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } }
    return typeof error?.message === 'string' ? error.message : null
  } catch {
    return null
  }
}
