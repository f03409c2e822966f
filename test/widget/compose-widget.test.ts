import { describe, expect, it } from 'vitest'
import { composeWidget } from '../../lambdas/compose/widget.ts'
import { readEnvironment } from '../../lambdas/config/environment.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { systemClock } from '../../lambdas/platform/clock.ts'
import { barItem } from '../store/state-items.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { configOf } from '../support/start-gateway.ts'

function widgetOver(store = createMemoryStore(systemClock)) {
  const config = parseGatewayConfig({ ...configOf({}, [['groq/one'], ['openai/two']]), providers: {} })
  const lines: object[] = []
  const widget = composeWidget({
    config,
    environment: readEnvironment([], {}),
    store,
    log: line => void lines.push(line),
  })
  return { widget, store, lines }
}

describe('the widget', () => {
  it('answers what it is', async () => {
    const { widget, store } = widgetOver()
    expect(await widget.handler({ describe: true })).toMatch(/^## /)
    expect(store.calls('readState')).toBe(0)
  })

  it('draws the fleet from the table, cooling keys included, without having any', async () => {
    const { widget, store } = widgetOver()
    await store.putStateItem(barItem('limit#key#groq#1a2b3c4d', Date.now() + 60_000), null)
    const markup = await widget.handler({})
    expect(markup).toContain('groq/<wbr />one')
    expect(markup).toContain('openai/<wbr />two')
    // The one key that the table names is limited; of the other provider it names none.
    expect(markup).toContain('answers from tier 2 of 2')
    expect(markup).toContain('key 1a2b3c4d')
  })

  it('takes the theme of the console', async () => {
    const { widget } = widgetOver()
    const [light, dark] = await Promise.all(
      ['light', 'dark'].map(theme => widget.handler({ widgetContext: { theme } })),
    )
    expect(light).not.toBe(dark)
  })

  it('shows no healthy fleet when the table cannot be read', async () => {
    const { widget, store, lines } = widgetOver()
    await widget.handler({})
    store.fail('refuse')
    expect(await widget.handler({})).toContain('cannot be read')
    expect(lines).toContainEqual(expect.objectContaining({ event: 'state-error' }))
  })
})
