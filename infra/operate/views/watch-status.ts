import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from '../../terminal/command-error.ts'
import { type FleetStatus, newsOf } from './fleet-status.ts'

export type Watch = {
  read(): Promise<FleetStatus>
  textOf(status: FleetStatus): string
  /** Between two looks that are shown one after the other. */
  separator: string
  output: { write(text: string): unknown }
  complain(text: string): void
  /** Each look over the one before, as on a terminal; else only what is new, one after the other. */
  redraw: boolean
  signal: AbortSignal
  everyMs?: number
}

const EVERY_MS = 2_000
const CLEAR = '\u001B[H\u001B[2J'

/** Shows the status again and again until the signal. What fails is told and tried again, but for the first look. */
export async function watchStatus(watch: Watch): Promise<void> {
  const { read, textOf, separator, output, complain, redraw, signal, everyMs = EVERY_MS } = watch
  let shown: string | null = null
  let trouble: string | null = null
  while (!signal.aborted) {
    try {
      const status = await read()
      const news = newsOf(status)
      if (redraw) output.write(CLEAR + textOf(status))
      else if (news !== shown) output.write((shown === null ? '' : separator) + textOf(status))
      shown = news
      trouble = null
    } catch (error) {
      if (signal.aborted) return
      if (shown === null) throw error
      const reason = describeError(error)
      if (reason !== trouble) complain(`${reason}\n`)
      trouble = reason
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
  }
}
