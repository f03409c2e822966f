import type { ModelCard, PageFacts } from '../page-contract.ts'
import { createCards } from './models/cards.ts'
import { find, setText, show } from './dom.ts'
import { createEndpointDialog } from './endpoint/endpoint-dialog.ts'
import { createHeader } from './header.ts'
import { type Liveness, watch } from './server/live.ts'
import { showNumbers } from './models/numbers.ts'
import { createRequests } from './requests/requests.ts'
import { setServerClock, startTicker } from './ticker.ts'
import { keepToken } from './server/token.ts'
import { createTryIt } from './try/try-it.ts'
import { createWhyDialog } from './requests/why-dialog.ts'

let facts: PageFacts | null = null
const kinds = new Map<string, ModelCard>()

const header = createHeader()
const openWhy = createWhyDialog(() => facts?.fleetWords ?? '')
const endpointDialog = createEndpointDialog()
const cards = createCards(endpointDialog.open)
const requests = createRequests(openWhy)
const tryIt = createTryIt(() => facts, openWhy)
const numbers = find('numbers', HTMLElement)
const main = find('main', HTMLElement)
const tokenForm = find('token-form', HTMLFormElement)

function onLiveness(liveness: Liveness): void {
  header.liveness(liveness)
  if (liveness.state !== 'refused') return
  show(main, false)
  show(tokenForm, true)
  const problem = find('problem', HTMLParagraphElement)
  setText(problem, liveness.message)
  show(problem, true)
}

tokenForm.addEventListener('submit', event => {
  event.preventDefault()
  keepToken(find('token', HTMLInputElement).value)
  location.reload()
})

startTicker()
void watch(
  {
    hello({ facts: told, now, callers }) {
      facts = told
      setServerClock(now)
      header.facts(told)
      requests.callers(callers)
      requests.note(told.requestsNote)
      requests.restart()
    },
    numbers: told => showNumbers(numbers, told),
    fleet: header.fleet,
    models(update) {
      for (const card of update.changed) kinds.set(card.model, card)
      cards.update(update)
      endpointDialog.renew()
      requests.models(update.order)
      tryIt.models(update.order.flatMap(name => kinds.get(name) ?? []))
      show(main, true)
    },
    requests: requests.update,
  },
  onLiveness,
)
