import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** The environment with what a `.env` file in the folder adds; what is set already wins. */
export function readDotEnv(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const file = join(folder, '.env')
  return {
    ...(existsSync(file) && parseEnv(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))),
    ...environment,
  }
}
