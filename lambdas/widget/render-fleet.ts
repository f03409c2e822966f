import type { EndpointRow } from '../engine/memory/describe-fleet.ts'
import {
  breakerCell,
  cooldownCell,
  failureCell,
  healthCell,
  nameCell,
  probeCell,
  shareCell,
  type Brush,
} from './endpoint-cells.ts'
import { NOTHING, html, type Html } from './html.ts'
import { paletteOf, type Theme } from './palette.ts'

export type FleetPicture = {
  rows: readonly EndpointRow[]
  /** Fewer than half of the providers are usable. */
  degraded: boolean
  /** The table could not be read: what is shown is no picture of the fleet. */
  unreadable: boolean
}

type Column = { title: string; cell(row: EndpointRow, brush: Brush): Html }

const COLUMNS: readonly Column[] = [
  { title: 'Endpoint', cell: nameCell },
  { title: 'State', cell: healthCell },
  { title: 'Next probe', cell: probeCell },
  { title: 'Provider breaker', cell: breakerCell },
  { title: 'Cooling down', cell: cooldownCell },
  { title: 'Successes, 7 days', cell: shareCell },
  { title: 'Last failure', cell: failureCell },
]

/** What needs a person's eye first. */
const urgency = ({ health, breaker, cooldowns }: EndpointRow): number =>
  (health === 'quarantined' ? 8 : health === 'suspect' ? 4 : 0) +
  (breaker === 'closed' ? 0 : 2) +
  (cooldowns.length > 0 ? 1 : 0)

function summary(rows: readonly EndpointRow[]): string {
  const count = (word: EndpointRow['health'] | 'retired'): number =>
    rows.filter(({ health, retired }) => (retired ? 'retired' : health) === word).length
  const others = (['suspect', 'quarantined', 'retired'] as const).filter(word => count(word) > 0)
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

function tableOf(rows: readonly EndpointRow[], brush: Brush): Html {
  const { line, muted } = brush.palette
  const padding = 'padding:7px 14px 7px 0;vertical-align:top;text-align:left'
  const head = COLUMNS.map(
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
      const cells = COLUMNS.map(
        ({ cell }) => html`<td style="${padding};border-bottom:1px solid ${line}">${cell(row, brush)}</td>`,
      )
      return html`<tr>
        ${cells}
      </tr>`
    })
  return html`<table style="border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums">
    <thead>
      <tr>
        ${head}
      </tr>
    </thead>
    <tbody>
      ${body}
    </tbody>
  </table>`
}

/** The fleet as HTML for a dashboard: no scripts, inline styles, what needs attention on top. Pure. */
export function renderFleet({ rows, degraded, unreadable }: FleetPicture, theme: Theme, now: number): string {
  const brush: Brush = { palette: paletteOf(theme), now }
  const { text, muted } = brush.palette
  const picture = html`<div style="color:${muted};margin:0 0 6px">${summary(rows)}</div>
    ${tableOf(rows, brush)}`
  return html`<div class="cwdb-no-default-styles"></div>
    <div
      style="font:13px/1.4 'Amazon Ember','Helvetica Neue',Roboto,Arial,sans-serif;color:${text};overflow-x:auto"
    >
      ${degraded ? notice('Degraded: fewer than half of the providers can be called.', brush) : NOTHING}
      ${unreadable ? notice('The state table cannot be read: the state of the endpoints is unknown.', brush) : picture}
    </div>`.markup
}
