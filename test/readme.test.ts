import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import {
  deploySchema,
  endpointConfigSchema,
  gatewayConfigSchema,
  modelConfigSchema,
  providerConfigSchema,
} from '../lambdas/config/config-schema.ts'
import { parseGatewayConfig } from '../lambdas/config/gateway-config.ts'
import { providerKeyVariable } from '../lambdas/core/provider-key-variable.ts'
import { REQUEST_HEADERS, RESPONSE_HEADERS } from '../lambdas/contract.ts'
import { ERROR_CODES } from '../lambdas/core/routing/error-codes.ts'
import { FAILURE_KINDS } from '../lambdas/core/failures/kinds.ts'
import { SETTINGS } from '../lambdas/core/settings/settings.ts'
import { verdict } from '../lambdas/core/failures/verdict.ts'
import { PROVIDER_IDS, providerRow } from '../lambdas/providers/catalog.ts'

const root = new URL('..', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const readme = read('README.md')

/** The cells of every table row below a heading, without backticks; tables of a deeper heading included. */
function rowsUnder(heading: string): string[][] {
  const depth = /^#+/.exec(heading)?.[0].length ?? 0
  const begin = readme.indexOf(`\n${heading}\n`)
  expect(begin, `README.md has the heading "${heading}"`).toBeGreaterThanOrEqual(0)
  const after = readme.slice(begin + heading.length + 2)
  const [section = ''] = after.split(new RegExp(`^#{1,${depth}} `, 'm'))
  return section
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.replaceAll('`', '').trim()),
    )
}

const firstCells = (heading: string): string[] =>
  rowsUnder(heading).flatMap(([cell = '']) => cell.split(', '))

const codeBlocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code)

test('every setting stands in its table with its default and range', () => {
  const expected = Object.entries(SETTINGS).map(([name, row]) => {
    if ('choices' in row) return [name, row.default, row.choices.join(', ')]
    return [name, String(row.default), 'min' in row ? `${row.min} to ${row.max}` : 'true, false']
  })
  expect(rowsUnder('### Settings').map(cells => cells.slice(0, 3))).toEqual(expected)
})

test('every error code stands in its table with its status and type', () => {
  const expected = Object.entries(ERROR_CODES).map(([code, { status, type }]) => [code, `${status}`, type])
  expect(rowsUnder('## Errors').map(cells => cells.slice(0, 3))).toEqual(expected)
})

test('every kind of failure stands in its table with its usual class', () => {
  const stated = rowsUnder('### Failures').map(([kind, usualClass]) => [kind, usualClass])
  const expected = FAILURE_KINDS.map(kind => [kind, verdict(kind).class])
  expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(expected))
  expect(stated).toHaveLength(expected.length)
})

test('every provider stands in its table with its key variable and base URL', () => {
  const expected = PROVIDER_IDS.map(id => {
    const { needsKey, baseUrl, baseUrlExample } = providerRow(id)
    const key = `${providerKeyVariable(id)}${needsKey ? '' : ' (optional)'}`
    return [id, key, baseUrl ?? `yours, such as ${baseUrlExample}`]
  })
  expect(rowsUnder('## Providers').map(cells => cells.slice(0, 3))).toEqual(expected)
})

test('a provider whose first output may take longer than usual says how long', () => {
  const stated = rowsUnder('## Providers').map(([id, , , notes]) => [
    id,
    /first output within (\d+) s/.exec(notes ?? '')?.[1] ?? 'usual',
  ])
  const expected = PROVIDER_IDS.map(id => {
    const { firstOutputMs } = providerRow(id).timeouts
    return [id, firstOutputMs === undefined ? 'usual' : `${firstOutputMs / 1_000}`]
  })
  expect(stated).toEqual(expected)
})

test('every header has a row, and no row is about a header that does not exist', () => {
  const headers = [...Object.values(RESPONSE_HEADERS), ...Object.values(REQUEST_HEADERS)]
  expect(new Set(firstCells('## Headers'))).toEqual(new Set(headers))
})

test('every field of the configuration has a row', () => {
  const shapes = [
    gatewayConfigSchema,
    modelConfigSchema,
    endpointConfigSchema,
    providerConfigSchema,
    deploySchema,
  ]
  const fields = new Set(shapes.flatMap(({ shape }) => Object.keys(shape)))
  const stated = new Set(firstCells('## Configuration'))
  const shownByTheExample = new Set(['providers', 'models', 'settings', 'deploy'])
  // The older name of a field stands in the row of the newer one.
  const missing = [...fields].filter(name => !stated.has(name) && name !== 'firstEventTimeoutMs')
  expect(missing).toEqual([...shownByTheExample])
  expect(readme).toContain('`firstEventTimeoutMs`')
})

test('every npm script that is named exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = [...readme.matchAll(/\bnpm (?:run (?:--silent )?)?(?!run\b|ci\b)([a-z]+)/g)].map(
    ([, name]) => name,
  )
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter(name => name === undefined || !(name in scripts))).toEqual([])
})

test('every file and folder that is named exists', () => {
  const named = readme.match(/(?<![\w./])(?:infra|lambdas|test)\/[\w./-]*/g) ?? []
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter(path => !existsSync(new URL(path, root)))).toEqual([])
})

describe('configurations that are shown', () => {
  const typescript = codeBlocks('ts').filter(code => code.includes('defineGateway('))
  const json = codeBlocks('json').filter(code => /"models": \{/.test(code))

  it('are there', () => {
    expect(typescript.length).toBeGreaterThan(0)
    expect(json.length).toBeGreaterThan(0)
  })

  it.each(typescript)('are valid: %s', async code => {
    const runnable = code
      .replace(/^import .*$/m, '')
      .replace('export default defineGateway', 'export default ')
    const module: unknown = await import(`data:text/javascript,${encodeURIComponent(runnable)}`)
    const { default: config } = module as { default: unknown }
    expect(parseGatewayConfig(config)).toBe(config)
  })

  it.each(json)('are valid: %s', code => {
    const config: unknown = JSON.parse(code)
    expect(parseGatewayConfig(config)).toBe(config)
  })
})
