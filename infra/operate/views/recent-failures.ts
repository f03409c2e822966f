import { FAILED_OUTCOMES } from '../../request-contract.ts'
import type { Paint } from '../../terminal/paint.ts'
import { findGateway } from '../fleet/find-gateway.ts'
import type { FleetChoice } from '../fleet/fleet-options.ts'
import { gatewayRequests } from '../fleet/request-source.ts'
import { requestList } from './request-list.ts'

const MOST_SHOWN = 5
const LOOKED_AT = 200

/**
 * The last failed request of each of a few models that a gateway on this machine remembers, as lines below its status; none where it does not
 * tell. The log of a stack is searched by `npm run why -- --failed`, which takes longer.
 */
export async function recentFailures(values: FleetChoice, now: number, paint: Paint): Promise<string[]> {
  if (values.stack !== undefined) return []
  const query = { outcomes: FAILED_OUTCOMES, model: undefined, limit: LOOKED_AT }
  // The status is what was asked for: it must not fail over this.
  const { call, ...address } = await findGateway(values)
  const rows = await gatewayRequests({ call, ...address })
    .newest(query)
    .catch(() => [])
  if (rows.length === 0) return []
  const newest = [...Map.groupBy(rows, ({ alias }) => alias).values()].flatMap(ofModel => ofModel.slice(0, 1))
  const shown = newest.slice(0, MOST_SHOWN)
  const left = rows.length - shown.length
  const orMore = rows.length === LOOKED_AT ? ' or more' : ''
  return [
    '',
    `${paint('bold', 'Last failed requests')}  ${paint('dim', call('why', '--failed'))}`,
    ...requestList(shown, now, paint).map(line => `  ${line}`),
    ...(left > 0
      ? [`  ${paint('dim', `… and ${left}${orMore} more: ${call('why', '--failed', '-n', '20')}`)}`]
      : []),
  ]
}
