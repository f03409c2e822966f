import { chmodSync, existsSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const OWNER_ALONE = 0o600

/** Replaces it in one step, readable by its owner alone. */
export function writeDotEnv(folder: string, text: string, name = '.env'): void {
  const file = join(folder, name)
  // Where it is a link, the file behind it is meant.
  const target = existsSync(file) ? realpathSync(file) : file
  const temporary = `${target}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, text, { mode: OWNER_ALONE, flag: 'wx' })
    chmodSync(temporary, OWNER_ALONE)
    renameSync(temporary, target)
  } finally {
    rmSync(temporary, { force: true })
  }
}
