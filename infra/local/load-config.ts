import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import shippedConfig from '#gateway-config'
import { type GatewayConfig, parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { parseJsonConfig } from './parse-json-config.ts'
import { CommandError, describeError } from '../terminal/command-error.ts'

/** The configuration of a JSON, TypeScript or JavaScript file, else the shipped one. Throws what is wrong, in words. */
export async function loadConfig(file: string | undefined): Promise<GatewayConfig> {
  if (file === undefined) return parseGatewayConfig(shippedConfig)
  const path = resolve(file)
  return parseGatewayConfig(path.endsWith('.json') ? await readJson(path) : await importDefault(path))
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(error => {
    throw new CommandError(`Cannot read the configuration ${path}: ${describeError(error)}`)
  })
  try {
    return parseJsonConfig(text)
  } catch (error) {
    throw new CommandError(`The configuration ${path} is not JSON: ${describeError(error)}`, { cause: error })
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
