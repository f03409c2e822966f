import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives the run a temporary folder that everything it starts uses, CDK's synthesis included, and removes it at the end. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'backstop-test-'))
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
