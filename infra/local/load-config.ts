import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import shippedConfig from '#gateway-config'
import { type GatewayConfig, parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { importSource } from '../import/import-source.ts'
import { keyValues, withKeys } from '../import/key-values.ts'
import { noteLines } from '../import/note-lines.ts'
import { readSourceFile } from '../import/read-source-file.ts'
import type { Variables } from '../import/read-values.ts'
import { recogniseSource, SOURCE_TITLES } from '../import/recognise-source.ts'
import { CommandError, describeError } from '../terminal/command-error.ts'

export type LoadedConfig = {
  config: GatewayConfig
  /** The environment, with keys under the variables that the configuration needs. */
  variables: Variables
  /** What there is to say about a configuration that was another gateway's. */
  lines: readonly string[]
}

/** The configuration of a file in JSON, YAML, TypeScript or JavaScript, else the shipped one. Throws what is wrong, in words. */
export async function loadConfig(file: string | undefined, variables: Variables): Promise<LoadedConfig> {
  if (file === undefined) return { config: parseGatewayConfig(shippedConfig), variables, lines: [] }
  const path = resolve(file)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandError(`The configuration ${path} is a folder. Name a file in it.`)
  if (!/\.(?:jsonc?|ya?ml)$/i.test(path)) {
    return { config: parseGatewayConfig(await importDefault(path)), variables, lines: [] }
  }
  const { document, notes, variables: known } = await readSourceFile(path, variables)
  const source = recogniseSource(document)
  if (source === null) return { config: parseGatewayConfig(document), variables, lines: [] }
  const imported = importSource(source, document, { variables: known, notes })
  return {
    config: imported.config,
    variables: withKeys(variables, keyValues(imported.keys, known)),
    lines: [
      `${file} is a configuration of ${SOURCE_TITLES[source]}. It runs as npm run import would write it:`,
      `npm run import -- ${source} ${file} writes it to a file.`,
      ...noteLines(imported.notes),
    ],
  }
}

async function importDefault(path: string): Promise<unknown> {
  try {
    const loaded: { default?: unknown } = await import(pathToFileURL(path).href)
    return loaded.default
  } catch (error) {
    throw new CommandError(`Cannot load the configuration ${path}: ${describeError(error)}`, { cause: error })
  }
}
