const EVERY_MS = 20

/** A line that is made when it is written. */
export type Line = () => string

/** A timer that throws would end the process: a line that cannot be made is left out, and that is told. */
function make(line: Line): string | null {
  try {
    return line()
  } catch (error) {
    process.emitWarning(`A line of the log is left out: ${String(error)}`)
    return null
  }
}

/**
 * Makes and writes the lines that come within a moment that nobody notices at once: under load, a write for each was a
 * twentieth of what a short request costs, and they are made faster together. What is left when the process ends is
 * written then.
 */
export function createLineWriter(write: (lines: string) => void): (line: Line) => void {
  let waiting: Line[] = []
  function flush(): void {
    if (waiting.length === 0) return
    const lines = waiting.map(make).filter(line => line !== null)
    waiting = []
    if (lines.length > 0) write(lines.join('\n'))
  }
  process.once('exit', flush)
  return line => {
    if (waiting.push(line) === 1) setTimeout(flush, EVERY_MS)
  }
}
