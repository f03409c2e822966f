import type { RequestFilter, RequestRow, RequestsUpdate, ShownOutcome } from '../../page-contract.ts'
import { callPage } from '../server/api.ts'
import { find, make, setText, show } from '../dom.ts'
import { formatCount } from '../format.ts'
import { makeRow } from './request-row.ts'

export type Requests = {
  update(update: RequestsUpdate): void
  /** A page that was connected again is told the newest rows as if it were new. */
  restart(): void
  models(names: readonly string[]): void
  callers(names: readonly string[]): void
  /** Where the requests come from, where that needs saying. */
  note(text: string | null): void
}

const OUTCOMES: readonly (readonly [value: ShownOutcome | '', label: string])[] = [
  ['', 'whatever happened'],
  ['answered', 'answered'],
  ['fallback', 'answered by fallback'],
  ['failed', 'failed'],
  ['cut', 'broke off'],
  ['client-left', 'the client left'],
  ['rejected', 'refused at the door'],
]
const MOST_SHOWN = 30
/** A page that is looked at for days must not grow. */
const MOST_KEPT = 500

const options = (pairs: readonly (readonly [string, string])[]): HTMLOptionElement[] =>
  pairs.map(([value, label]) => make('option', { value }, label))

/** The list of the last requests, and what narrows it. */
export function createRequests(onWhy: (id: string) => void): Requests {
  const body = find('row-list', HTMLTableSectionElement)
  const empty = find('no-rows', HTMLParagraphElement)
  const table = find('rows', HTMLTableElement)
  const older = find('older', HTMLButtonElement)
  const note = find('requests-note', HTMLParagraphElement)
  const model = find('filter-model', HTMLSelectElement)
  const caller = find('filter-caller', HTMLSelectElement)
  const outcome = find('filter-outcome', HTMLSelectElement)
  const callers = new Set<string>()
  let most = MOST_SHOWN
  let origin: string | null = null
  let isFresh = true
  outcome.replaceChildren(...options(OUTCOMES))

  const filterNow = (): URLSearchParams =>
    new URLSearchParams({ model: model.value, caller: caller.value, outcome: outcome.value })

  function isFiltered(): boolean {
    return [model, caller, outcome].some(({ value }) => value !== '')
  }

  function refreshState(): void {
    const isEmpty = body.children.length === 0
    show(table, !isEmpty)
    show(empty, isEmpty)
    setText(
      empty,
      isFiltered()
        ? 'None of the last requests matches.'
        : 'No request yet. Ask something above, or point an SDK at this gateway.',
    )
  }

  function addCallers(rows: readonly RequestRow[]): void {
    const before = callers.size
    for (const row of rows) if (row.caller !== null) callers.add(row.caller)
    if (callers.size !== before) fillCallers()
  }

  function fillCallers(): void {
    const chosen = caller.value
    caller.replaceChildren(
      ...options([
        ['', 'all callers'],
        ...[...callers].toSorted().map((name): [string, string] => [name, name]),
      ]),
    )
    caller.value = chosen
  }

  async function load(before?: string): Promise<void> {
    const query = filterNow()
    if (before !== undefined) query.set('before', before)
    const response = await callPage(`requests?${query}`)
    const { rows } = (await response.json()) as { rows: readonly RequestRow[] }
    const drawn = rows.slice(0, MOST_SHOWN).map(makeRow)
    if (before === undefined) body.replaceChildren(...drawn)
    else body.append(...drawn)
    show(older, rows.length >= MOST_SHOWN)
    refreshState()
  }

  for (const select of [model, caller, outcome]) {
    select.addEventListener('change', () => {
      most = MOST_SHOWN
      void load().catch(() => undefined)
    })
  }
  older.addEventListener('click', () => {
    most = Math.min(most + MOST_SHOWN, MOST_KEPT)
    const last = body.lastElementChild
    if (last instanceof HTMLElement) void load(last.dataset['serial']).catch(() => undefined)
  })
  body.addEventListener('click', ({ target }) => {
    const id =
      target instanceof Element ? target.closest<HTMLElement>('[data-why]')?.dataset['why'] : undefined
    if (id !== undefined) onWhy(id)
  })

  return {
    update({ rows, untold }) {
      addCallers(rows)
      const filter: RequestFilter = {
        ...(model.value && { model: model.value }),
        ...(caller.value && { caller: caller.value }),
      }
      // What counts as a fallback is for the server to say, and the first rows are not all that match.
      const isIncomplete = outcome.value !== '' || (isFresh && isFiltered())
      isFresh = false
      if (isIncomplete) return void load().catch(() => undefined)
      const wanted = rows.filter(
        row => (filter.model ?? row.model) === row.model && (filter.caller ?? row.caller) === row.caller,
      )
      body.prepend(...wanted.map(makeRow))
      while (body.children.length > most) body.lastElementChild?.remove()
      show(older, older.hidden ? body.children.length >= most : true)
      show(note, untold > 0 || origin !== null)
      setText(
        note,
        untold === 0
          ? (origin ?? '')
          : `Requests come faster than this list: ${formatCount(untold)} more came at the same time. Filters look at the last 1,000.`,
      )
      refreshState()
    },
    restart() {
      isFresh = true
      body.replaceChildren()
    },
    models(names) {
      const known = [...model.options].slice(1).map(({ value }) => value)
      if (
        model.options.length > 0 &&
        known.length === names.length &&
        known.every((name, index) => name === names[index])
      )
        return
      const chosen = model.value
      model.replaceChildren(
        ...options([['', 'all models'], ...names.map((name): [string, string] => [name, name])]),
      )
      model.value = names.includes(chosen) ? chosen : ''
    },
    note: text => void (origin = text),
    callers(names) {
      for (const name of names) callers.add(name)
      fillCallers()
    },
  }
}
