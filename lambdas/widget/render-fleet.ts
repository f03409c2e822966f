import type { ModelView } from '../core/routing/view/model-view.ts'
import type { EndpointRow } from '../engine/memory/describe-fleet.ts'
import {
  breakerCell,
  cooldownCell,
  failureCell,
  healthCell,
  nameCell,
  probeCell,
  shareCell,
  stateWord,
  type Brush,
  type StateWord,
} from './endpoint-cells.ts'
import { NOTHING, html, type Html } from './html.ts'
import { modelList, modelsLine } from './model-list.ts'
import { paletteOf, type Theme } from './palette.ts'

export type FleetPicture = {
  models: readonly ModelView[]
  rows: readonly EndpointRow[]
  /** Fewer than half of the providers are usable. */
  degraded: boolean
  /** The table could not be read: what is shown is no picture of the fleet. */
  unreadable: boolean
}

/** `tells`: whether there is anything to tell of a row; a column that tells nothing is left out. */
type Column = {
  title: string
  cell(row: EndpointRow, brush: Brush): Html
  tells?(row: EndpointRow): boolean
}

const COLUMNS: readonly Column[] = [
  { title: 'Endpoint', cell: nameCell },
  { title: 'State', cell: healthCell },
  { title: 'Next probe', cell: probeCell, tells: row => row.next_probe_at !== null },
  { title: 'Provider breaker', cell: breakerCell, tells: row => row.breaker !== 'closed' },
  { title: 'Cooling down', cell: cooldownCell, tells: row => row.cooldowns.length > 0 },
  { title: 'Successes, 7 days', cell: shareCell, tells: row => row.successes + row.failures > 0 },
  { title: 'Last failure', cell: failureCell, tells: row => row.last_failure !== null },
]

/** So many rows are all shown; of more, those of healthy endpoints are only counted. */
const FEW_ROWS = 20

/** What needs a person's eye first. */
const urgency = ({ health, breaker, cooldowns }: EndpointRow): number =>
  (health === 'quarantined' ? 8 : health === 'suspect' ? 4 : 0) +
  (breaker === 'closed' ? 0 : 2) +
  (cooldowns.length > 0 ? 1 : 0)

function summary(rows: readonly EndpointRow[]): string {
  const count = (word: StateWord): number => rows.filter(row => stateWord(row) === word).length
  const others = (['paused', 'cooling down', 'suspect', 'quarantined', 'retired'] as const).filter(
    word => count(word) > 0,
  )
  const parts = [
    `${rows.length} endpoint${rows.length === 1 ? '' : 's'}`,
    ...(['healthy', ...others] as const).map(word => `${count(word)} ${word}`),
  ]
  return parts.join(' \u00B7 ')
}

function notice(text: string, { palette }: Brush): Html {
  const { bad } = palette.tones
  return html`<div
    style="border-left:4px solid ${bad};padding:6px 12px;margin:0 0 10px;color:${bad};font-weight:600"
  >
    ${text}
  </div>`
}

function tableOf(all: readonly EndpointRow[], brush: Brush): Html {
  const rows = all.length > FEW_ROWS ? all.filter(row => urgency(row) > 0) : all
  const left = all.length - rows.length
  const columns = COLUMNS.filter(({ tells }) => !tells || rows.some(tells))
  const { line, muted } = brush.palette
  const padding = 'padding:7px 14px 7px 0;vertical-align:top;text-align:left'
  const head = columns.map(
    ({ title }) =>
      html`<th
        style="${padding};color:${muted};font-weight:600;white-space:nowrap;border-bottom:2px solid ${line}"
      >
        ${title}
      </th>`,
  )
  const body = rows
    .toSorted((one, other) => urgency(other) - urgency(one))
    .map(row => {
      const cells = columns.map(
        ({ cell }) => html`<td style="${padding};border-bottom:1px solid ${line}">${cell(row, brush)}</td>`,
      )
      return html`<tr>
        ${cells}
      </tr>`
    })
  return html`<table
      style="border-collapse:collapse;width:100%;font:inherit;color:inherit;font-variant-numeric:tabular-nums"
    >
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
    ${left > 0 ? html`<div style="color:${muted};margin-top:8px">… and ${left} healthy endpoints</div>` : NOTHING}`
}

/** The fleet as HTML for a dashboard: no scripts, inline styles, what needs attention on top. Pure. */
export function renderFleet(
  { models, rows, degraded, unreadable }: FleetPicture,
  theme: Theme,
  now: number,
): string {
  const brush: Brush = { palette: paletteOf(theme), now }
  const { text, muted } = brush.palette
  const { good, bad } = brush.palette.tones
  const colour = models.every(({ answers }) => answers) ? good : bad
  const picture = html`<div style="color:${colour};font-weight:600;margin:0 0 8px">${modelsLine(models)}</div>
    ${modelList(models, brush)}
    <div style="color:${muted};margin:0 0 6px">${summary(rows)}</div>
    ${tableOf(rows, brush)}`
  return html`<div class="cwdb-no-default-styles"></div>
    <div
      style="font:13px/1.4 'Amazon Ember','Helvetica Neue',Roboto,Arial,sans-serif;color:${text};overflow-x:auto"
    >
      ${degraded ? notice('Degraded: fewer than half of the providers can be called.', brush) : NOTHING}
      ${unreadable ? notice('The state table cannot be read: the state of the endpoints is unknown.', brush) : picture}
    </div>`.markup
}
