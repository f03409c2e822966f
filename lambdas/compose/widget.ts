import type { Endpoint } from '../core/endpoint.ts'
import type { Snapshot } from '../core/routing/snapshot.ts'
import { modelView } from '../core/routing/view/model-view.ts'
import { itemAt } from '../engine/memory/change-item.ts'
import { describeFleet } from '../engine/memory/describe-fleet.ts'
import { keysOnRecord } from '../engine/memory/keys-on-record.ts'
import { snapshotOf } from '../engine/memory/snapshot-of.ts'
import { systemClock } from '../platform/clock.ts'
import { renderFleet } from '../widget/render-fleet.ts'
import { WIDGET_DESCRIPTION } from '../widget/widget-description.ts'
import { composeFleet } from './fleet.ts'
import type { GatewayOptions } from './gateway.ts'

/** What CloudWatch sends for a custom widget; `describe` asks for its documentation. */
export type WidgetEvent = { describe?: boolean; widgetContext?: { theme?: string } }

const LOOK_MS = 2_000

/** Where the table names no key of a provider, there may be one that nothing bars. */
const withSomeKey = (known: Snapshot['keys'], endpoints: readonly Endpoint[]): Snapshot['keys'] =>
  new Map([...endpoints.map(({ provider }) => [provider, ['any']] as const), ...known])

/** Wires the widget together: the table's picture of the fleet, drawn as HTML. It needs no key, and changes nothing. */
export function composeWidget({ clock = systemClock, ...options }: Omit<GatewayOptions, 'keys'>) {
  const { store } = options

  async function draw(theme: 'light' | 'dark'): Promise<string> {
    // Anew each time: a picture of an earlier invocation must not pass for the present one.
    const { gateway, memory } = composeFleet({ ...options, clock }, () => new Map())
    const {
      view,
      settings,
      endpoints,
      figures: { known: figures },
    } = memory
    const items = await view.current(LOOK_MS)
    const counted = await store.readStats().catch(() => new Map<string, never>())
    const now = clock.now()
    const keys = keysOnRecord(items, endpoints)
    const rows = describeFleet(endpoints, { items, keys, settings: settings(), figures, counted, now })
    const degraded = itemAt(items, 'mode', 'mode')?.mode.state === 'degraded'
    const snapshot = snapshotOf(items, {
      keys: withSomeKey(keys, endpoints),
      settings: settings(),
      figures,
      now,
    })
    const models = [...gateway.chains.values()].map(chain => modelView(chain, snapshot, now))
    return renderFleet({ models, rows, degraded, unreadable: view.readAt === null }, theme, now)
  }

  return {
    async handler({ describe, widgetContext }: WidgetEvent): Promise<string> {
      return describe ? WIDGET_DESCRIPTION : draw(widgetContext?.theme === 'dark' ? 'dark' : 'light')
    },
  }
}
