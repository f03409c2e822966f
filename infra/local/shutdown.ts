const GRACE_MS = 10_000
// One Ctrl-C may arrive twice: from the terminal, and passed on by whatever launched this process.
const ECHO_MS = 500
const ORPHAN_CHECK_MS = 1_000

/** Calls back once when the process that started this one has gone: npm dies of a SIGTERM without passing it on. */
function watchParent(onOrphaned: () => void): void {
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    onOrphaned()
  }, ORPHAN_CHECK_MS)
  check.unref()
}

/** Closes on the first SIGINT or SIGTERM, letting what runs come to its end; a second one ends the process at once. */
export function closeOnSignals(
  close: (graceMs: number) => Promise<void>,
  announce: (text: string) => void,
): void {
  let closingSince: number | null = null
  const begin = (): void => {
    closingSince = performance.now()
    announce(
      'Stopping: new requests are refused; running ones have 10 s to finish. Press Ctrl-C again to stop now.',
    )
    void close(GRACE_MS).then(() => process.exit(0))
  }
  const stop = (signal: NodeJS.Signals): void => {
    if (closingSince === null) begin()
    else if (performance.now() - closingSince > ECHO_MS) process.exit(signal === 'SIGINT' ? 130 : 143)
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  if (process.env['npm_lifecycle_event']) watchParent(() => (closingSince === null ? begin() : undefined))
}
