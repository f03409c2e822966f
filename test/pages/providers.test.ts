import { expect, test } from 'vitest'
import { providerKeyVariable } from '../../lambdas/core/provider-key-variable.ts'
import { listPriceFor, PROVIDER_IDS, providerRow } from '../../lambdas/providers/catalog.ts'
import { readPage } from './page.ts'

const page = readPage('lambdas/providers/README.md')
const priceRows = page.rows('## Prices')
const rows = page.rows('# Providers').slice(0, -priceRows.length)

test('every provider has a row with its key variable and base URL', () => {
  const expected = PROVIDER_IDS.map(id => {
    const { needsKey, baseUrl, baseUrlExample, keyVariables } = providerRow(id)
    const variables = [providerKeyVariable(id), ...keyVariables].join(', ')
    const key = `${variables}${needsKey ? '' : ' (optional)'}`
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

test('every list price stands in the table, with the month in which it was read', () => {
  const expected = PROVIDER_IDS.flatMap(id => {
    const { prices, baseUrl } = providerRow(id)
    return Object.keys(prices?.models ?? {}).map(model => {
      const price = listPriceFor({ id, baseUrl }, model)
      const figures = [price?.input, price?.cachedInput, price?.output].map(String)
      return [`${id}/${model}`, ...figures, prices?.asOf]
    })
  })
  expect(priceRows).toEqual(expected)
})

test('a snapshot costs what its model costs, and another host under the name is not priced', () => {
  const openai = { id: 'openai', baseUrl: providerRow('openai').baseUrl }
  const price = listPriceFor(openai, 'gpt-4o')
  expect(price).not.toBeNull()
  expect(listPriceFor(openai, 'gpt-4o-2024-08-06')).toEqual(price)
  expect(listPriceFor(openai, 'gpt-4o-mini')).not.toEqual(price)
  expect(listPriceFor(openai, 'gpt-4o-realtime')).toBeNull()
  expect(listPriceFor(openai, 'constructor')).toBeNull()
  expect(listPriceFor({ id: 'openai', baseUrl: 'https://llm.example.com/v1' }, 'gpt-4o')).toBeNull()
})
