import type { EndpointsAnswer } from '../../../endpoints-contract.ts'
import type { ActionReport, PageAction } from '../../page-contract.ts'
import { callPage, postPage } from '../server/api.ts'
import { find, make } from '../dom.ts'
import { makeFacts } from './endpoint-facts.ts'
import { refused } from '../server/refused.ts'

type Row = EndpointsAnswer['data'][number]
type Step = { action: PageAction; label: string; question(row: Row): string }

const STEPS: readonly Step[] = [
  {
    action: 'probe',
    label: 'Probe',
    question: ({ endpoint }) =>
      `Send one real request for one token to ${endpoint} now? Its state follows what comes back.`,
  },
  {
    action: 'release',
    label: 'Release',
    question: ({ endpoint, provider }) =>
      `Call ${endpoint} again from now on? It becomes healthy, its cooldowns are removed, and the breaker of ${provider} is closed.`,
  },
  {
    action: 'quarantine',
    label: 'Quarantine',
    question: ({ endpoint }) => `Stop all requests to ${endpoint} until it is released?`,
  },
]

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** What an action did, or why it could not. */
async function askFor(action: PageAction, { endpoint }: Row): Promise<string> {
  try {
    const response = await postPage('act', { action, endpoint })
    if (!response.ok) throw await refused(response)
    return ((await response.json()) as ActionReport).message
  } catch (error) {
    return messageOf(error)
  }
}

export type EndpointDialog = {
  open(endpoint: string): void
  /** Something has changed: what is shown is looked up again. */
  renew(): void
}

/** Shows an endpoint, and what can be done with it; each action asks before it acts. */
export function createEndpointDialog(): EndpointDialog {
  const dialog = find('endpoint-dialog', HTMLDialogElement)
  const title = make('h2', { id: 'endpoint-name' })
  const facts = make('div')
  const actions = make('div', { class: 'actions' })
  const report = make('p', { class: 'report', role: 'status' })
  const close = make(
    'button',
    { type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => dialog.close() },
    '×',
  )
  dialog.append(make('div', { class: 'dialog-head' }, title, close), facts, actions, report)

  let shown = ''
  let lookups = 0

  async function load(endpoint: string): Promise<Row> {
    lookups += 1
    const lookup = lookups
    const response = await callPage(`endpoint?${new URLSearchParams({ name: endpoint })}`)
    const row = (await response.json()) as Row
    // An answer that comes late is of an older state, or of an endpoint that was shown before.
    if (lookup === lookups) facts.replaceChildren(makeFacts(row))
    return row
  }

  function offer(row: Row): void {
    const buttons = STEPS.map(step =>
      make('button', { type: 'button', onclick: () => confirm(step, row) }, step.label),
    )
    actions.replaceChildren(...buttons)
  }

  function confirm(step: Step, row: Row): void {
    const back = (): void => {
      offer(row)
      actions.querySelector('button')?.focus()
    }
    const go = make(
      'button',
      { type: 'button', class: 'primary', onclick: () => void act(step, row) },
      step.label,
    )
    const cancel = make('button', { type: 'button', onclick: back }, 'Cancel')
    report.textContent = ''
    actions.replaceChildren(make('p', { class: 'question', id: 'question' }, step.question(row)), go, cancel)
    go.setAttribute('aria-describedby', 'question')
    go.focus()
  }

  async function act({ action, label }: Step, row: Row): Promise<void> {
    actions.replaceChildren(make('p', { class: 'question' }, `${label}: under way…`))
    const told = await askFor(action, row)
    // Another one may have been opened meanwhile.
    if (shown !== row.endpoint) return
    report.textContent = told
    offer(row)
    actions.querySelector('button')?.focus()
    await load(row.endpoint).catch(() => undefined)
  }

  return {
    open(endpoint) {
      shown = endpoint
      title.textContent = endpoint
      facts.replaceChildren(make('p', {}, 'Looking it up…'))
      actions.replaceChildren()
      report.textContent = ''
      dialog.showModal()
      load(endpoint).then(
        row => (shown === endpoint ? offer(row) : undefined),
        (error: unknown) => void (report.textContent = messageOf(error)),
      )
    },
    renew() {
      if (dialog.open) void load(shown).catch(() => undefined)
    },
  }
}
