import type { ModelView } from '../../../lambdas/core/routing/view/model-view.ts'
import { type Paint, printable } from '../../terminal/paint.ts'
import { wrapWords } from '../../terminal/wrap-words.ts'
import { type Reader, troubleText } from './hop-text.ts'

type View = Reader & { width: number; paint: Paint; all: boolean }

const MOST_NAMED = 8

function named(texts: readonly string[], { all }: View): string {
  const shown = all ? texts : texts.slice(0, MOST_NAMED)
  const left = texts.length - shown.length
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join(', ')
}

const countWords = (answering: number, models: number): string =>
  answering === models
    ? models === 1
      ? 'The model answers.'
      : `All ${models} models answer.`
    : `${answering} of ${models} models ${answering === 1 ? 'answers' : 'answer'}.`

/** What people want to know first: how many models answer, which do not and until when, and which by a lower tier. */
export function modelSummary(models: readonly ModelView[], view: View): string[] {
  const { width, paint } = view
  if (models.length === 0) return ['No model is configured for this client.']
  const down = models.filter(({ answers }) => !answers)
  const lower = models.filter(({ tier }) => tier !== null && tier > 1)
  const downText = named(
    down.map(model => `${printable(model.model)} (${troubleText(model, view)})`),
    view,
  )
  const lowerText = named(
    lower.map(({ model }) => printable(model)),
    view,
  )
  const doubtfulText = named(
    models.flatMap(({ doubtful, model }) => (doubtful ? [printable(model)] : [])),
    view,
  )
  const first = countWords(models.length - down.length, models.length)
  return [
    ...wrapWords(down.length > 0 ? `${first} Down: ${downText}.` : first, width).map(line =>
      paint(down.length > 0 ? 'red' : doubtfulText === '' ? 'green' : 'yellow', line),
    ),
    ...(doubtfulText === ''
      ? []
      : wrapWords(`In doubt: ${doubtfulText}.`, width).map(line => paint('yellow', line))),
    ...(lower.length > 0
      ? wrapWords(`From a lower tier: ${lowerText}.`, width).map(line => paint('yellow', line))
      : []),
  ]
}
