import type { PageNumbers } from '../../page-contract.ts'
import { make } from '../dom.ts'
import { formatCount, formatMoney, formatShare } from '../format.ts'
import { serverNow } from '../ticker.ts'

type Tile = { figure: string; label: string; tone: 'bad' | 'fair' | 'good' | 'plain' }

const HOUR_MS = 3_600_000
/** An hour that is a minute short is one. */
const NEARLY_MS = 60_000
const FAIR_SHARE = 0.99

function answeredTile({ part, whole, since }: PageNumbers['answered']): Tile {
  const isHour = serverNow() - since > HOUR_MS - NEARLY_MS
  const period = isHour ? 'in the last hour' : `since ${new Date(since).toTimeString().slice(0, 5)}`
  if (whole === 0) return { figure: '–', label: `no requests ${period}`, tone: 'plain' }
  const tone = part === whole ? 'good' : part / whole >= FAIR_SHARE ? 'fair' : 'bad'
  return { figure: formatShare(part, whole), label: `answered ${period} (${formatCount(whole)})`, tone }
}

function spentTile(spent: PageNumbers['spent']): Tile {
  if (spent === null) return { figure: '–', label: 'spent today (UTC): not known', tone: 'plain' }
  const { dollars, unpriced } = spent
  const requests = unpriced === 1 ? '1 request' : `${formatCount(unpriced)} requests`
  if (unpriced === 0) return { figure: formatMoney(dollars), label: 'spent today (UTC)', tone: 'plain' }
  if (dollars === 0) return { figure: '–', label: `no price known of ${requests} today`, tone: 'plain' }
  return { figure: formatMoney(dollars), label: `today (UTC), ${requests} unpriced`, tone: 'plain' }
}

const tilesOf = ({ models, providers, answered, spent }: PageNumbers): readonly Tile[] => [
  {
    figure: `${models.down} of ${models.all}`,
    label: models.all === 1 ? 'model cannot answer' : 'models cannot answer',
    tone: models.down > 0 ? 'bad' : 'good',
  },
  {
    figure: `${providers.callable} of ${providers.all}`,
    label: 'providers can be called',
    tone: providers.callable === providers.all ? 'good' : providers.callable === 0 ? 'bad' : 'fair',
  },
  answeredTile(answered),
  spentTile(spent),
]

/** Shows the four numbers. */
export function showNumbers(list: HTMLElement, numbers: PageNumbers): void {
  list.replaceChildren(
    ...tilesOf(numbers).map(({ figure, label, tone }) =>
      make('div', { class: `tile ${tone}` }, make('dt', {}, label), make('dd', {}, figure)),
    ),
  )
  document.title = numbers.models.down > 0 ? `${numbers.models.down} down · Backstop` : 'Backstop'
}
