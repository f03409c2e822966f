import { describe, expect, it, test } from 'vitest'
import {
  endpointConfigSchema,
  gatewayConfigSchema,
  modelConfigSchema,
  providerConfigSchema,
} from '../../lambdas/config/schema/config-schema.ts'
import { deploySchema } from '../../lambdas/config/schema/deploy-schema.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { SETTINGS } from '../../lambdas/core/settings/settings.ts'
import { firstCells, PAGES, readPage } from './page.ts'

const page = readPage('infra/CONFIGURATION.md')

test('every setting has a row with its default and range', () => {
  const expected = Object.entries(SETTINGS).map(([name, row]) => {
    if ('choices' in row) return [name, row.default, row.choices.join(', ')]
    return [name, String(row.default), 'min' in row ? `${row.min} to ${row.max}` : 'true, false']
  })
  expect(page.rows('## Settings').map(cells => cells.slice(0, 3))).toEqual(expected)
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
  const stated = new Set(firstCells(page.rows('## Fields')))
  const shownByTheExample = new Set(['providers', 'models', 'settings', 'deploy'])
  // The older name of a field stands in the row of the newer one.
  const missing = [...fields].filter(name => !stated.has(name) && name !== 'firstEventTimeoutMs')
  expect(missing).toEqual([...shownByTheExample])
  expect(page.text).toContain('`firstEventTimeoutMs`')
})

describe('configurations that are shown', () => {
  const shown = PAGES.flatMap(path =>
    readPage(path).blocks.map(({ words: [language], text, line }) => ({
      title: `${path}:${line}`,
      language,
      text,
    })),
  )
  const typescript = shown.filter(
    // An app of the CDK is synthesised by the test of the package.
    ({ language, text }) =>
      language === 'ts' && text.includes('defineGateway(') && !text.includes("from 'backstop'"),
  )
  const json = shown.filter(({ language, text }) => language === 'json' && /"models": \{/.test(text))

  it('are there', () => {
    expect(typescript.length).toBeGreaterThan(0)
    expect(json.length).toBeGreaterThan(0)
  })

  it.each(typescript)('are valid: $title', async ({ text }) => {
    const runnable = text
      .replace(/^import .*$/m, '')
      .replace('export default defineGateway', 'export default ')
    const module: unknown = await import(`data:text/javascript,${encodeURIComponent(runnable)}`)
    const { default: config } = module as { default: unknown }
    expect(parseGatewayConfig(config)).toBe(config)
  })

  it.each(json)('are valid: $title', ({ text }) => {
    const config: unknown = JSON.parse(text)
    expect(parseGatewayConfig(config)).toBe(config)
  })
})
