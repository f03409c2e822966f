import { nextWords } from '../../../lambdas/core/routing/view/hop-words.ts'
import type { ComingEvent } from '../page-contract.ts'
import { make, setText } from './dom.ts'

const SECOND_MS = 1_000
let offsetMs = 0

/** The server's clock: that of this machine may go wrong. */
export const serverNow = (): number => Date.now() + offsetMs

/** Adjusts to what the server has just said. */
export function setServerClock(now: number): void {
  offsetMs = now - Date.now()
}

/** `back in 18 s`, which goes on by itself. */
export function countdown({ what, at }: ComingEvent): HTMLElement {
  return make(
    'span',
    { class: 'countdown', 'data-what': what, 'data-at': at },
    nextWords({ what, at }, serverNow()),
  )
}

function tick(): void {
  const now = serverNow()
  for (const element of document.querySelectorAll<HTMLElement>('.countdown')) {
    const { what, at } = element.dataset
    setText(element, nextWords({ what: what as ComingEvent['what'], at: Number(at) }, now))
  }
}

export function startTicker(): void {
  setInterval(tick, SECOND_MS)
}
