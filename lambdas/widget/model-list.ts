import { nextWords } from '../core/routing/view/hop-words.ts'
import { type HopView, type ModelView, nextOf } from '../core/routing/view/model-view.ts'
import { breakName } from './break-name.ts'
import type { Brush } from './endpoint-cells.ts'
import { NOTHING, html, type Html } from './html.ts'
import type { Tone } from './palette.ts'

/** So many models are all shown; of more, those whose first endpoint answers are only counted. */
const FEW_MODELS = 12
const FEW_HOPS = 8

const isReady = ({ called, test, health }: HopView): boolean => called && !test && health === 'healthy'

function toneOf(hop: HopView): Tone {
  if (isReady(hop)) return 'good'
  if (hop.reason === 'no_key') return 'quiet'
  return hop.reason === 'quarantined' || hop.reason === 'breaker_open' ? 'bad' : 'fair'
}

function toldOf(hop: HopView, { now }: Brush): string {
  const next = nextOf(hop)
  return next === null ? hop.words : `${hop.words}, ${nextWords(next, now)}`
}

function hopItem(hop: HopView, isAnswering: boolean, brush: Brush): Html {
  const { muted, tones } = brush.palette
  const colour = tones[toneOf(hop)]
  const frame = isAnswering
    ? `border:1px solid ${colour};border-radius:4px;padding:0 4px;font-weight:600`
    : ''
  const dot = html`<span
    style="display:inline-block;width:8px;height:8px;border-radius:4px;background:${colour};margin-right:6px"
  ></span>`
  const told = isReady(hop)
    ? NOTHING
    : html` <span style="color:${muted};overflow-wrap:break-word">${toldOf(hop, brush)}</span>`
  return html`<div style="margin:2px 0 2px 12px;overflow-wrap:break-word">
    <span style="${frame}">${dot}${breakName(hop.endpoint)}</span>${told}
  </div>`
}

function stateOf({ answers, doubtful, tier, tiers }: ModelView): { words: string; tone: Tone } {
  if (!answers || tier === null) return { words: 'does not answer', tone: 'bad' }
  const words = tiers === 1 ? 'answers' : `answers from tier ${tier} of ${tiers}`
  if (doubtful) return { words: `${words}, in doubt`, tone: 'fair' }
  return { words, tone: tier === 1 ? 'good' : 'fair' }
}

function modelBlock(model: ModelView, brush: Brush): Html {
  const { tones, muted } = brush.palette
  const { words, tone } = stateOf(model)
  const isShown = (hop: HopView): boolean =>
    model.chain.length <= FEW_HOPS || !isReady(hop) || hop.endpoint === model.answered_by
  const hops = model.chain.filter(isShown)
  const left = model.chain.length - hops.length
  return html`<div style="margin:0 0 8px;border-left:3px solid ${tones[tone]};padding-left:8px">
    <span style="font-weight:600;overflow-wrap:break-word">${breakName(model.model)}</span>
    <span style="color:${tones[tone]}">${words}</span>
    ${hops.map(hop => hopItem(hop, hop.endpoint === model.answered_by, brush))}
    ${left > 0 ? html`<div style="margin-left:12px;color:${muted}">… and ${left} more that are ready</div>` : NOTHING}
  </div>`
}

const firstAnswers = ({ answered_by: answeredBy, chain }: ModelView): boolean =>
  chain[0] !== undefined && chain[0].endpoint === answeredBy && isReady(chain[0])

/** How many models answer, in one line. */
export function modelsLine(models: readonly ModelView[]): string {
  const answering = models.filter(({ answers }) => answers).length
  if (answering < models.length) {
    return `${answering} of ${models.length} models ${answering === 1 ? 'answers' : 'answer'}`
  }
  return models.length === 1 ? 'The model answers' : `All ${models.length} models answer`
}

/** Each model with its chain, the endpoint that would answer now framed; what answers nothing on top. */
export function modelList(models: readonly ModelView[], brush: Brush): Html {
  const told = models.length > FEW_MODELS ? models.filter(model => !firstAnswers(model)) : models
  const left = models.length - told.length
  const inOrder = told.toSorted((one, other) => Number(one.answers) - Number(other.answers))
  return html`${inOrder.map(model => modelBlock(model, brush))}${
    left > 0
      ? html`<div style="color:${brush.palette.muted};margin:0 0 8px">
          … and ${left} ${left === 1 ? 'model' : 'models'} that answer from the first endpoint
        </div>`
      : NOTHING
  }`
}
