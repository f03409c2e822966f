/** Whether the table refused a write, or was not reached for it (see `StoreError`): repeated, it does not count twice. */
export const isUnwritten = (error: unknown): boolean =>
  error instanceof Error && 'isUnwritten' in error && error.isUnwritten === true
