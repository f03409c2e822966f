type Circumstances = { cause?: unknown; isUnwritten?: boolean }

/** The table could not be used in time: throttled, unreachable, slow. Requests go on without it. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /**
   * What was to be written is not in the table: it refused, or was not reached. False: its answer came too late, or was an
   * error of its own; then it has most likely written.
   */
  readonly isUnwritten: boolean

  constructor(message: string, { cause, isUnwritten = false }: Circumstances = {}) {
    super(message, { cause })
    this.isUnwritten = isUnwritten
  }
}
