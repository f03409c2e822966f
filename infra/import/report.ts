/**
 * What becomes of a part of the other gateway's configuration that is not simply written down:
 * - `left_out`: a model or an endpoint that the written configuration does not have;
 * - `no_counterpart`: a field that does nothing here;
 * - `different`: it is written, and works in another way;
 * - `not_needed`: what it asks for is always done.
 */
export type NoteKind = 'left_out' | 'no_counterpart' | 'different' | 'not_needed'

export type Note = {
  kind: NoteKind
  /** A field, or a model. */
  what: string
  /** The models that it stands at; empty = the whole configuration. */
  models: readonly string[]
  /** What to do instead, or what is different; never a key. */
  advice: string
}

export type Report = {
  add(kind: NoteKind, what: string, advice: string, model?: string): void
  notes(): readonly Note[]
}

/** Gathers notes; the same one at several models is one note. */
export function createReport(): Report {
  const found = new Map<string, { note: Omit<Note, 'models'>; models: Set<string> }>()
  return {
    add(kind, what, advice, model) {
      const key = JSON.stringify([kind, what, advice])
      const entry = found.get(key) ?? { note: { kind, what, advice }, models: new Set() }
      if (model !== undefined) entry.models.add(model)
      found.set(key, entry)
    },
    notes: () => [...found.values()].map(({ note, models }) => ({ ...note, models: [...models] })),
  }
}
