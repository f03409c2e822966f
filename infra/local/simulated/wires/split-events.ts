import type { JsonObject } from '../../../../lambdas/core/json.ts'
import { formatNamedEvent } from '../../../../lambdas/sse/format-event.ts'
import type { SimulatedEvents } from './simulated-wire.ts'

type Spread = {
  isDelta(event: JsonObject): boolean
  /** The one delta as several, each with a piece of its text. */
  spread(delta: JsonObject): readonly JsonObject[]
}

const textOf = (event: JsonObject): string => formatNamedEvent(String(event.type), JSON.stringify(event))

/** The events of a whole answer as a model brings them: its text piece by piece, everything else at once. */
export function splitEvents(
  events: readonly JsonObject[],
  { isDelta, spread }: Spread,
  finish: (events: readonly JsonObject[]) => readonly JsonObject[] = all => all,
): SimulatedEvents {
  const [first, last] = [events.findIndex(isDelta), events.findLastIndex(isDelta)]
  const opening = events.slice(0, first)
  const output = events.slice(first, last + 1).flatMap(event => (isDelta(event) ? spread(event) : [event]))
  const texts = finish([...opening, ...output, ...events.slice(last + 1)]).map(textOf)
  return {
    opening: texts.slice(0, opening.length),
    output: texts.slice(opening.length, opening.length + output.length),
    closing: texts.slice(opening.length + output.length),
  }
}
