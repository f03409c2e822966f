import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** The text of a `.env` file, which Windows' own tools write in UTF-16, or with a mark before it; empty where there is none. */
export function readDotEnvText(folder: string, name = '.env'): string {
  const file = join(folder, name)
  if (!existsSync(file)) return ''
  const bytes = readFileSync(file)
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return bytes.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '')
}

/** The environment with what a `.env` file in the folder adds; what is set already wins. */
export function readDotEnv(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return { ...parseEnv(readDotEnvText(folder)), ...environment }
}
