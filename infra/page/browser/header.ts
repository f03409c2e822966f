import type { FleetFacts, PageFacts } from '../page-contract.ts'
import { find, setText, show } from './dom.ts'
import { formatTime } from './format.ts'
import type { Liveness } from './server/live.ts'

export type Header = {
  facts(facts: PageFacts): void
  fleet(fleet: FleetFacts): void
  liveness(liveness: Liveness): void
}

const COPIED_MS = 2_000

/** The line at the top: which gateway this is, and whether what the page shows is of now. */
export function createHeader(): Header {
  const baseUrl = find('base-url', HTMLElement)
  const copy = find('copy-url', HTMLButtonElement)
  const line = find('facts', HTMLParagraphElement)
  const live = find('live', HTMLParagraphElement)
  const problem = find('problem', HTMLParagraphElement)
  let known: PageFacts | null = null
  let fleet: FleetFacts | null = null

  function draw(): void {
    const overrides = fleet?.overrides ?? 0
    const parts = [
      known?.stack === null || known === null ? null : `stack ${known.stack}`,
      known?.memory ?? null,
      overrides === 0 ? null : overrides === 1 ? '1 setting overridden' : `${overrides} settings overridden`,
      fleet?.mode === 'degraded' ? 'degraded mode' : null,
    ]
    setText(line, parts.filter(part => part !== null).join(' · '))
    line.classList.toggle('bad', fleet?.mode === 'degraded')
  }

  async function copyUrl(): Promise<void> {
    await navigator.clipboard.writeText(baseUrl.textContent ?? '')
    setText(copy, 'Copied')
    setTimeout(() => setText(copy, 'Copy'), COPIED_MS)
  }
  copy.addEventListener('click', () => void copyUrl().catch(() => setText(copy, 'Not copied')))

  return {
    facts(facts) {
      known = facts
      setText(baseUrl, facts.baseUrl)
      show(copy, 'clipboard' in navigator)
      draw()
    },
    fleet(facts) {
      fleet = facts
      show(problem, facts.problem !== null)
      setText(problem, facts.problem ?? '')
      draw()
    },
    liveness(liveness) {
      const isLive = liveness.state === 'live'
      document.body.classList.toggle('stale', !isLive)
      live.classList.toggle('on', isLive)
      if (liveness.state === 'live') setText(live, 'Live')
      else if (liveness.state === 'lost')
        setText(
          live,
          `Not live since ${formatTime(liveness.since)}: the gateway cannot be reached. Trying again…`,
        )
      else setText(live, 'Not live')
    },
  }
}
