import { headerText } from '../../../terminal/header-text.ts'
import type { ModelCard, PageFacts } from '../../page-contract.ts'
import { type Answer, readAnswer } from './answer.ts'
import { postPage } from '../server/api.ts'
import { type Asked, curlOf } from './curl.ts'
import { find, make, setText, show } from '../dom.ts'
import { formatTook } from '../format.ts'
import { makeTrail } from './trail.ts'

export type TryIt = { models(cards: readonly Pick<ModelCard, 'model' | 'kind'>[]): void }

const MOST_SHOWN_CHARACTERS = 200_000

/** A box that asks a model, and shows the answer, the way it took, and how to ask the same elsewhere. */
export function createTryIt(facts: () => PageFacts | null, onWhy: (id: string) => void): TryIt {
  const form = find('try-form', HTMLFormElement)
  const model = find('try-model', HTMLSelectElement)
  const text = find('try-text', HTMLTextAreaElement)
  const stream = find('try-stream', HTMLInputElement)
  const button = find('try-ask', HTMLButtonElement)
  const area = find('try-answer', HTMLDivElement)
  const output = find('try-output', HTMLDivElement)
  const status = find('try-status', HTMLParagraphElement)
  const trail = find('try-trail', HTMLDivElement)
  const curl = find('try-curl', HTMLPreElement)
  const kinds = new Map<string, ModelCard['kind']>()
  let running: AbortController | null = null

  function askedNow(): Asked {
    const kind = kinds.get(model.value) ?? 'chat'
    return { model: model.value, text: text.value, stream: stream.checked && kind === 'chat', kind }
  }

  function begin(): AbortController {
    const controller = new AbortController()
    output.replaceChildren()
    trail.replaceChildren()
    show(area, true)
    show(curl, false)
    output.setAttribute('aria-busy', 'true')
    setText(status, 'Waiting for an answer…')
    setText(button, 'Stop')
    return controller
  }

  function write(piece: string): void {
    if (piece === '' || (output.textContent?.length ?? 0) > MOST_SHOWN_CHARACTERS) return
    output.append(piece)
  }

  function links(headers: Headers, asked: Asked): HTMLElement {
    // What was refused at the door has no plan, and so nothing to explain.
    const id = headers.has('x-backstop-attempts') ? headers.get('x-request-id') : null
    const why =
      id === null ? null : make('button', { type: 'button', class: 'quiet', onclick: () => onWhy(id) }, 'why')
    const known = facts()
    const toggle = (): void => {
      if (known) setText(curl, curlOf(asked, known))
      show(curl, curl.hidden !== false)
    }
    return make(
      'span',
      { class: 'links' },
      why,
      make('button', { type: 'button', class: 'quiet', onclick: toggle }, 'as curl'),
    )
  }

  function end(asked: Asked, headers: Headers, answer: Answer, startedAt: number): void {
    const by = headers.get('x-backstop-served-by')
    const took = formatTook(performance.now() - startedAt)
    setText(status, answer.failure ?? `Answered${by === null ? '' : ` by ${headerText(by)}`} in ${took}.`)
    status.classList.toggle('bad', answer.failure !== null)
    trail.replaceChildren(make('span', {}, ...makeTrail(headers, answer)), links(headers, asked))
  }

  async function ask(): Promise<void> {
    const asked = askedNow()
    const startedAt = performance.now()
    running = begin()
    const { signal } = running
    let headers = new Headers()
    try {
      const response = await postPage('try', asked, signal)
      ;({ headers } = response)
      end(asked, headers, await readAnswer(response, write), startedAt)
    } catch (error) {
      const failure = signal.aborted ? 'Stopped.' : error instanceof Error ? error.message : String(error)
      end(asked, headers, { tokens: null, dollars: null, failure }, startedAt)
    } finally {
      running = null
      output.removeAttribute('aria-busy')
      setText(button, 'Ask')
    }
  }

  form.addEventListener('submit', event => {
    event.preventDefault()
    if (running) running.abort()
    else void ask()
  })
  text.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    if (!running) form.requestSubmit()
  })
  const fit = (): void => {
    text.rows = Math.min(8, text.value.split('\n').length)
  }
  text.addEventListener('input', fit)

  return {
    models(cards) {
      const names = cards.map(card => card.model)
      for (const card of cards) kinds.set(card.model, card.kind)
      if ([...model.options].map(({ value }) => value).join('\n') === names.join('\n')) return
      const chosen = model.value
      model.replaceChildren(...names.map(name => make('option', { value: name }, name)))
      if (names.includes(chosen)) model.value = chosen
    },
  }
}
