export type LineReader = {
  push(text: string): void
  /** Characters of the line that has not ended yet. */
  openLength(): number
  /** Whatever comes begins a line. */
  isAtStart(): boolean
}

/** Text in, lines out, without their ends: LF, CR LF or CR. Linear, however long a line and however small its pieces. */
export function createLineReader(onLine: (line: string) => void): LineReader {
  let open: string[] = []
  let openLength = 0
  let afterCr = false

  function endLine(last: string): void {
    if (open.length === 0) return onLine(last)
    open.push(last)
    const line = open.join('')
    open = []
    openLength = 0
    onLine(line)
  }

  return {
    push(text) {
      if (text === '') return
      let start = afterCr && text.charCodeAt(0) === 0x0a ? 1 : 0
      afterCr = false
      let cr = text.indexOf('\r', start)
      let lf = text.indexOf('\n', start)
      while (cr >= 0 || lf >= 0) {
        const end = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr
        const next = end === cr && lf === cr + 1 ? end + 2 : end + 1
        afterCr = end === cr && next === text.length && lf !== cr + 1
        endLine(text.slice(start, end))
        start = next
        if (cr >= 0 && cr < start) cr = text.indexOf('\r', start)
        if (lf >= 0 && lf < start) lf = text.indexOf('\n', start)
      }
      // A comment says nothing, however long it grows.
      if (start >= text.length || open[0]?.startsWith(':')) return
      open.push(text.slice(start))
      openLength += text.length - start
    },
    openLength: () => openLength,
    isAtStart: () => open.length === 0 && !afterCr,
  }
}
