/** Says aloud which tests are skipped for want of a tool, and passes on what is missing: a reporter may show no title. */
export function tellSkipped(what: string, missing: string | null): string | null {
  if (missing !== null) process.stderr.write(`\n!! NOT tested: ${what}. ${missing}\n\n`)
  return missing
}
