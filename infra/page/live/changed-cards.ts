import type { ModelCard, ModelsUpdate } from '../page-contract.ts'

/** What the open pages show of the models. */
export type CardMemory = {
  /** What changed since; null = nothing. */
  update(cards: readonly ModelCard[]): ModelsUpdate | null
  /** Everything, for a page that has just been opened. */
  whole(): ModelsUpdate
}

/** Remembers each card as text, so that a page is sent those alone that differ. */
export function createCardMemory(): CardMemory {
  let shown = new Map<string, string>()
  let all: readonly ModelCard[] = []
  return {
    update(cards) {
      const order = cards.map(({ model }) => model)
      const texts = new Map(cards.map(card => [card.model, JSON.stringify(card)]))
      const changed = cards.filter(({ model }) => shown.get(model) !== texts.get(model))
      const isMoved = order.join('\n') !== [...shown.keys()].join('\n')
      shown = texts
      all = cards
      return changed.length > 0 || isMoved ? { order, changed } : null
    },
    whole: () => ({ order: all.map(({ model }) => model), changed: all }),
  }
}
