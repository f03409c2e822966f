import type { ModelCard, ModelsUpdate } from '../../page-contract.ts'
import { type CardState, makeCard, stateOf, trafficOf } from './card.ts'
import { find, setText, show } from '../dom.ts'

export type Cards = { update(update: ModelsUpdate): void }

/** With more models than these, those that are well take one line each. */
const FULL_CARDS = 8
const RANKS: readonly CardState[] = ['down', 'failing', 'lower', 'well']

/** The cards of all models, the worst first: only those that changed are drawn again. */
export function createCards(onEndpoint: (endpoint: string) => void): Cards {
  const list = find('cards', HTMLUListElement)
  const filter = find('model-filter', HTMLInputElement)
  const empty = find('no-cards', HTMLParagraphElement)
  const models = new Map<string, ModelCard>()
  const elements = new Map<string, HTMLLIElement>()
  const opened = new Set<string>()
  const whole = new Set<string>()
  let order: readonly string[] = []
  let isFoldedView = false

  const isFolded = (card: ModelCard): boolean => isFoldedView && stateOf(card) === 'well'

  function draw(model: string): void {
    const card = models.get(model)
    if (!card) return
    const view = { isFolded: isFolded(card), isOpen: opened.has(model), isWhole: whole.has(model) }
    const element = makeCard(card, view)
    const old = elements.get(model)
    elements.set(model, element)
    if (!old) return
    const focused = old.contains(document.activeElement) ? focusKey(document.activeElement) : null
    old.replaceWith(element)
    if (focused !== null) element.querySelector<HTMLElement>(focused)?.focus()
  }

  /** Most changes are those of the traffic alone: false where the whole card has to be drawn. */
  function drawTraffic(before: ModelCard | undefined, card: ModelCard): boolean {
    const line = elements.get(card.model)?.querySelector('.traffic')
    const isSame = drawnOf(before) === drawnOf(card)
    if (isSame && line) setText(line, trafficOf(card.traffic))
    return isSame && elements.has(card.model)
  }

  function arrange(): void {
    const text = filter.value.trim().toLowerCase()
    const ranked = order.flatMap(name => models.get(name) ?? []).filter(card => isWanted(card, text))
    ranked.sort((one, other) => RANKS.indexOf(stateOf(one)) - RANKS.indexOf(stateOf(other)))
    const wanted = ranked.flatMap(({ model }) => elements.get(model) ?? [])
    const isAsShown =
      wanted.length === list.children.length &&
      wanted.every((element, index) => list.children[index] === element)
    if (!isAsShown) {
      const focused = document.activeElement
      list.replaceChildren(...wanted)
      // What is moved loses it.
      if (focused instanceof HTMLElement && list.contains(focused)) focused.focus()
    }
    show(empty, wanted.length === 0)
    setText(
      empty,
      text === '' ? 'The configuration has no models.' : 'No model and no endpoint has this in its name.',
    )
  }

  list.addEventListener('click', ({ target }) => {
    const button =
      target instanceof Element ? target.closest<HTMLElement>('[data-endpoint], [data-whole]') : null
    const { endpoint, whole: model } = button?.dataset ?? {}
    if (endpoint !== undefined) onEndpoint(endpoint)
    if (model !== undefined) {
      whole.add(model)
      draw(model)
    }
  })
  // `toggle` does not bubble.
  list.addEventListener(
    'toggle',
    ({ target }) => {
      const model =
        target instanceof HTMLDetailsElement
          ? target.closest<HTMLElement>('.card')?.dataset['model']
          : undefined
      if (model === undefined || !(target instanceof HTMLDetailsElement)) return
      if (target.open === opened.has(model)) return
      if (target.open) opened.add(model)
      else opened.delete(model)
      draw(model)
    },
    true,
  )
  filter.addEventListener('input', arrange)

  return {
    update({ order: names, changed }) {
      order = names
      const named = new Set(names)
      for (const gone of [...models.keys()].filter(name => !named.has(name))) {
        models.delete(gone)
        elements.delete(gone)
      }
      const redrawn = changed.filter(card => {
        const before = models.get(card.model)
        models.set(card.model, card)
        return !drawTraffic(before, card)
      })
      const wasFolded = isFoldedView
      isFoldedView = names.length > FULL_CARDS
      show(filter, isFoldedView)
      for (const model of wasFolded === isFoldedView ? redrawn.map(card => card.model) : names) draw(model)
      arrange()
    },
  }
}

const isWanted = ({ model, chain }: ModelCard, text: string): boolean =>
  text === '' ||
  model.toLowerCase().includes(text) ||
  chain.some(({ endpoint }) => endpoint.toLowerCase().includes(text))

/** All that is drawn elsewhere than in the line about the traffic. */
const drawnOf = (card: ModelCard | undefined): string =>
  JSON.stringify({ ...card, traffic: card?.traffic?.failed ?? 0 })

/** How to find what had the focus in the card that takes the old one's place. */
function focusKey(element: Element | null): string | null {
  if (element?.tagName === 'SUMMARY') return 'summary'
  const endpoint = element instanceof HTMLElement ? element.dataset['endpoint'] : undefined
  return endpoint === undefined ? null : `[data-endpoint="${CSS.escape(endpoint)}"]`
}
