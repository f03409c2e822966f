/** Thrown behind the last byte of an answer to cut its connection, on purpose. */
export class CutConnectionError extends Error {
  override readonly name = 'CutConnectionError'

  constructor() {
    super('The connection was closed after an incomplete answer.')
  }
}
