import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { JsonObject } from '../../../lambdas/core/json.ts'
import type { GatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { endpointsOf } from '../../../lambdas/config/endpoints-of.ts'
import { resolveGateway } from '../../../lambdas/config/resolve-gateway.ts'
import { formatJson } from '../../import/format-json.ts'
import { importSource } from '../../import/import-source.ts'
import { keyLines, keyValues, withKeys, type KeyValue } from '../../import/key-values.ts'
import { noteLines } from '../../import/note-lines.ts'
import { readSourceFile } from '../../import/read-source-file.ts'
import {
  recogniseSource,
  SOURCE_NAMES,
  SOURCE_TITLES,
  type SourceName,
} from '../../import/recognise-source.ts'
import { CommandError, describeError } from '../../terminal/command-error.ts'
import { COMMANDS } from '../../terminal/command-table.ts'
import { readDotEnv, readDotEnvText } from '../../terminal/read-dot-env.ts'
import { runCommandLine } from '../command-line.ts'
import { writeDotEnv } from '../keys/dot-env-file.ts'
import { editDotEnv } from '../keys/edit-dot-env.ts'

const OUT = 'gateway.json'

const isSource = (word: string | undefined): word is SourceName => SOURCE_NAMES.some(name => name === word)

function readWords(words: readonly string[]): { source: SourceName | null; file: string } | null {
  const source = isSource(words[0]) ? words[0] : null
  const [file, ...rest] = source === null ? words : words.slice(1)
  return file === undefined || rest.length > 0 ? null : { source, file }
}

function sourceOf(stated: SourceName | null, document: unknown, file: string): SourceName {
  const found = stated ?? recogniseSource(document)
  if (found !== null) return found
  throw new CommandError(
    `${file} is not recognised as a configuration of ${Object.values(SOURCE_TITLES).join(', ')}. Say which: npm run import -- litellm ${file}`,
  )
}

/** Adds keys to a .env file; what it has already stays. */
function addKeys(file: string, keys: readonly KeyValue[]): readonly string[] {
  const folder = dirname(resolve(file))
  const before = readDotEnvText(folder, basename(file))
  const has = parseEnv(before)
  const known = keys.filter(({ value }) => value !== null)
  const fresh = known.filter(({ variable }) => !has[variable])
  const text = fresh.reduce((edited, { variable, value }) => editDotEnv(edited, variable, value), before)
  if (text !== before) writeDotEnv(folder, text, basename(file))
  const kept = known.filter(({ variable, value }) => has[variable] && has[variable] !== value)
  return [
    `${file}: ${fresh.length} ${fresh.length === 1 ? 'key' : 'keys'} added.`,
    ...kept.map(({ variable }) => `${variable} is there with another value, and was left as it is.`),
  ]
}

function writeOut(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    const hasFolder = existsSync(dirname(resolve(file)))
    const reason = hasFolder ? describeError(error) : `there is no folder ${dirname(file)}`
    throw new CommandError(`Cannot write ${file}: ${reason}.`, { cause: error })
  }
}

function sizeOf(config: GatewayConfig): string {
  const { chains } = resolveGateway(config)
  const endpoints = endpointsOf({ chains })
  const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
  const providers = new Set(endpoints.map(({ provider }) => provider))
  return [
    count(chains.size, 'model'),
    count(endpoints.length, 'endpoint'),
    count(providers.size, 'provider'),
  ].join(', ')
}

await runCommandLine(COMMANDS.import, async ({ values, positionals, misuse }) => {
  const words = readWords(positionals)
  if (words === null) throw misuse('Name one file.')
  const { source, file } = words
  const { out = OUT, model } = values
  const isStdout = out === '-'
  if (!isStdout && !values.force && existsSync(out))
    throw new CommandError(`${out} exists. Name another file with --out, or replace it with --force.`)
  const here = readDotEnv(process.cwd(), process.env)
  const { document, notes, variables } = await readSourceFile(file, here)
  const imported = importSource(sourceOf(source, document, file), document, { variables, model, notes })
  const keys = keyValues(imported.keys, variables, here)
  const text = `${formatJson(imported.config as JsonObject)}\n`
  if (isStdout) process.stdout.write(text)
  else writeOut(out, text)
  const added = values.env === undefined ? [] : ['', ...addKeys(values.env, keys)]
  const shown = values.env === undefined ? keys : keyValues(imported.keys, variables, withKeys(here, keys))
  const lines = [
    `${isStdout ? 'Imported' : out}: ${sizeOf(imported.config)}.`,
    ...(shown.length === 0 ? [] : ['', 'Keys, in the environment or in .env:', ...keyLines(shown)]),
    ...added,
    ...noteLines(imported.notes),
    ...(isStdout ? [] : ['', `Start it: npm start -- --config ${out}`]),
  ]
  const people = isStdout ? process.stderr : process.stdout
  people.write(`${lines.join('\n')}\n`)
  return 0
})
