import type { HopView, ModelView } from '../../../lambdas/core/routing/view/model-view.ts'
import { type Paint, type Style, printable } from '../../terminal/paint.ts'
import { cutEnd, cutMiddle, lengthOf } from '../../terminal/text-table.ts'
import { wrapWords } from '../../terminal/wrap-words.ts'
import { hopWords } from '../../../lambdas/core/routing/view/hop-words.ts'
import { hopText, type Reader } from './hop-text.ts'

export type ChainView = Reader & { width: number; paint: Paint; all: boolean }

/** So many models are all shown; of more, those with nothing to tell are left out. */
const FEW_MODELS = 12
const FEW_HOPS = 8
const FEW_HOPS_OF_MANY = 4
const MOST_LINES = 60
const LONGEST_NAME = 44
const SHORTEST_NAME = 20

const isReady = ({ called, test, health }: HopView): boolean => called && !test && health === 'healthy'

/** Its first endpoint answers: what stands behind it is in nobody's way. */
const isWell = ({ answered_by: answeredBy, chain }: ModelView): boolean =>
  chain[0] !== undefined && chain[0].endpoint === answeredBy && isReady(chain[0])

/** So that what is wrong is seen without colour too. */
export function markOf(hop: HopView): { text: string; style?: Style } {
  if (hop.reason === 'no_key') return { text: '·', style: 'dim' }
  if (hop.reason === 'quarantined' || hop.reason === 'breaker_open') return { text: '✗', style: 'red' }
  return isReady(hop) ? { text: ' ' } : { text: '!', style: 'yellow' }
}

function headOf(
  { model, kind, answers, doubtful, answered_by: answeredBy, tier, tiers, chain }: ModelView,
  { paint, width }: ChainView,
): string {
  const name = paint('bold', printable(model))
  const vectors = kind === 'embeddings' ? paint('dim', '  embeddings') : ''
  if (!answers || tier === null) return `${name}${vectors}  ${paint('red', 'does not answer')}`
  const words = tiers === 1 ? 'answers' : `answers from tier ${tier} of ${tiers}`
  const room = width - lengthOf(model) - (kind === 'embeddings' ? 14 : 2)
  const hop = doubtful ? chain.find(({ endpoint }) => endpoint === answeredBy) : undefined
  const short = tiers === 1 ? 'answers' : `tier ${tier} of ${tiers}`
  const doubts = hop ? [hop.words, hopWords(hop, false), 'in doubt'] : []
  const texts = hop ? doubts.map(text => `${words}, but ${text}`.replace('but in', 'in')) : [words]
  const told = texts.find(text => lengthOf(text) <= room) ?? `${short}${hop ? ', in doubt' : ''}`
  return `${name}${vectors}  ${paint(tier === 1 && !doubtful ? 'green' : 'yellow', told)}`
}

const GAP = '  '
/** A mark, and the number of the tier. */
const PREFIX = 7

function hopLines(model: ModelView, hops: readonly HopView[], view: ChainView): string[] {
  const { width, paint } = view
  const shortest = Math.max(
    0,
    ...hops.map(hop => (isReady(hop) ? 0 : lengthOf(hopText(hop, view, false)) + GAP.length)),
  )
  const longest = Math.min(LONGEST_NAME, Math.max(...hops.map(({ endpoint }) => lengthOf(endpoint))))
  const size = Math.min(longest, Math.max(SHORTEST_NAME, width - PREFIX - shortest))
  return hops.map((hop, index) => {
    const isAnswering = hop.endpoint === model.answered_by
    const answersFrom = model.doubtful ? ('yellow' as const) : ('green' as const)
    const { text: sign, style = 'dim' } = isAnswering ? { text: '→', style: answersFrom } : markOf(hop)
    const tier = hops[index - 1]?.tier === hop.tier ? '' : String(hop.tier)
    const room = width - PREFIX - size - GAP.length
    const full = isReady(hop) ? '' : hopText(hop, view)
    const told = lengthOf(full) <= room ? full : cutEnd(hopText(hop, view, false), room)
    const name = cutMiddle(printable(hop.endpoint), told === '' ? width - PREFIX : size)
    const padding = ' '.repeat(Math.max(0, size - lengthOf(name)))
    const shown = isAnswering ? paint(answersFrom, name) : hop.called ? name : paint('dim', name)
    return `  ${paint(style, sign)} ${tier.padStart(2)} ${shown}${told === '' ? '' : padding + GAP + told}`
  })
}

/** A long chain is shown by those of its endpoints that have something to tell. */
function linesOf(model: ModelView, fewHops: number, view: ChainView): string[] {
  const { chain, answered_by: answeredBy } = model
  const isShown = (hop: HopView): boolean =>
    view.all || chain.length <= fewHops || !isReady(hop) || hop.endpoint === answeredBy
  const hops = chain.filter(isShown)
  const left = chain.length - hops.length
  return [
    headOf(model, view),
    ...hopLines(model, hops, view),
    ...(left > 0 ? [`       ${view.paint('dim', `… and ${left} more that are ready`)}`] : []),
  ]
}

/** What a list does not show. */
export function leftOut(
  parts: readonly string[],
  { width, paint }: Pick<ChainView, 'width' | 'paint'>,
): string[] {
  if (parts.length === 0) return []
  return wrapWords(`… and ${parts.join(', ')} (--all shows them)`, width).map(line => paint('dim', line))
}

/** Each model's chain in order, the endpoint that would be called now marked, and beside each other one why not. */
export function chainLines(models: readonly ModelView[], view: ChainView): string[] {
  const isFolded = !view.all && models.length > FEW_MODELS
  const down = models.filter(({ answers }) => !answers)
  const rest = models.filter(({ answers }) => answers)
  const told = isFolded ? [...down, ...rest.filter(model => !isWell(model))] : models
  const shown: string[] = []
  let count = 0
  for (const model of told) {
    const lines = linesOf(model, isFolded ? FEW_HOPS_OF_MANY : FEW_HOPS, view)
    if (isFolded && count > 0 && shown.length + lines.length > MOST_LINES) break
    shown.push(...lines)
    count += 1
  }
  const well = isFolded ? rest.filter(isWell).length : 0
  const left = [
    ...(told.length > count
      ? [`${told.length - count} more ${told.length - count === 1 ? 'model' : 'models'} with trouble`]
      : []),
    ...(well > 0 ? [`${well} ${well === 1 ? 'model' : 'models'} that answer from the first endpoint`] : []),
  ]
  return [...shown, ...leftOut(left, view)]
}
