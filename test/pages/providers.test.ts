import { expect, test } from 'vitest'
import { providerKeyVariable } from '../../lambdas/core/provider-key-variable.ts'
import { PROVIDER_IDS, providerRow } from '../../lambdas/providers/catalog.ts'
import { readPage } from './page.ts'

const rows = readPage('lambdas/providers/README.md').rows('# Providers')

test('every provider has a row with its key variable and base URL', () => {
  const expected = PROVIDER_IDS.map(id => {
    const { needsKey, baseUrl, baseUrlExample } = providerRow(id)
    const key = `${providerKeyVariable(id)}${needsKey ? '' : ' (optional)'}`
    return [id, key, baseUrl ?? `yours, such as ${baseUrlExample}`]
  })
  expect(rows.map(cells => cells.slice(0, 3))).toEqual(expected)
})

test('a provider whose first output may take longer than usual says how long', () => {
  const stated = rows.map(([id, , , notes]) => [
    id,
    /first output within (\d+) s/.exec(notes ?? '')?.[1] ?? 'usual',
  ])
  const expected = PROVIDER_IDS.map(id => {
    const { firstOutputMs } = providerRow(id).timeouts
    return [id, firstOutputMs === undefined ? 'usual' : `${firstOutputMs / 1_000}`]
  })
  expect(stated).toEqual(expected)
})
