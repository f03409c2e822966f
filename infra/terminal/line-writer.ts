const EVERY_MS = 20

/** A line that is made when it is written. */
export type Line = () => string

/**
 * Makes and writes the lines that come within a moment that nobody notices at once: under load, to do so for each was a
 * tenth of what a short request costs. What is left when the process ends is written then.
 */
export function createLineWriter(write: (lines: string) => void): (line: Line) => void {
  let waiting: Line[] = []
  function flush(): void {
    if (waiting.length === 0) return
    const lines = waiting.map(line => line()).join('\n')
    waiting = []
    write(lines)
  }
  process.once('exit', flush)
  return line => {
    if (waiting.push(line) === 1) setTimeout(flush, EVERY_MS)
  }
}
