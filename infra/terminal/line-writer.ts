const EVERY_MS = 20

/**
 * Writes the lines that come within a moment that nobody notices at once: under load, a write for each was a twentieth
 * of what a short request costs. What is left when the process ends is written then.
 */
export function createLineWriter(write: (lines: string) => void): (line: string) => void {
  let waiting: string[] = []
  function flush(): void {
    if (waiting.length === 0) return
    const lines = waiting.join('\n')
    waiting = []
    write(lines)
  }
  process.once('exit', flush)
  return line => {
    if (waiting.push(line) === 1) setTimeout(flush, EVERY_MS)
  }
}
