import { printable } from '../terminal/paint.ts'
import type { Note, NoteKind } from './report.ts'

const TITLES: Readonly<Record<Exclude<NoteKind, 'not_needed'>, string>> = {
  left_out: 'Left out',
  no_counterpart: 'No counterpart',
  different: 'Written, and different here',
}
const SHOWN_MODELS = 3

function withModels({ what, models }: Note): string {
  if (models.length === 0) return what
  const rest = models.length - SHOWN_MODELS
  const shown = models.slice(0, SHOWN_MODELS).join(', ')
  return `${what} (${shown}${rest > 0 ? `, and ${rest} more` : ''})`
}

/** Those that say the same are one line: `a, b, c: what to do`. */
function linesOf(notes: readonly Note[]): string[] {
  return [...Map.groupBy(notes, ({ advice }) => advice)].map(
    ([advice, all]) => `  ${printable(all.map(withModels).join(', '))}: ${printable(advice)}`,
  )
}

/** What has no counterpart, what was left out and what is different, as paragraphs for the terminal. */
export function noteLines(notes: readonly Note[]): readonly string[] {
  const done = notes.filter(({ kind }) => kind === 'not_needed')
  const paragraphs = (['left_out', 'no_counterpart', 'different'] as const).map(kind => {
    const found = notes.filter(note => note.kind === kind)
    return found.length === 0 ? [] : ['', `${TITLES[kind]}:`, ...linesOf(found)]
  })
  const names = [...new Set(done.map(({ what }) => what))]
  return [
    ...paragraphs.flat(),
    ...(names.length === 0
      ? []
      : ['', `Not needed, because it is always done: ${printable(names.join(', '))}.`]),
  ]
}
