/** The table could not be used in time: throttled, unreachable, slow. Requests go on without it. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}
