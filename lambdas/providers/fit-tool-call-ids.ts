import { isJsonObject } from '../core/json.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { ToolCallIdForm } from './provider-row.ts'

const PRIME = 0x01_00_01_93
const SEEDS = [0x81_1c_9d_c5, 0x1b_87_35_93, 0x5b_d1_e9_95, 0xc2_b2_ae_35]

/** FNV-1a: the same text always gives the same number, in this instance and in every other. */
function hash(text: string, seed: number): number {
  let value = seed
  for (let place = 0; place < text.length; place += 1) {
    value = Math.imul(value ^ text.charCodeAt(place), PRIME) >>> 0
  }
  return value
}

/** The id itself where the host takes its form, else letters and digits that are always the same for it. */
export function fitToolCallId(id: string, { takes, length }: ToolCallIdForm): string {
  if (takes.test(id)) return id
  return SEEDS.map(seed => hash(id, seed).toString(36).padStart(7, '0').slice(-5))
    .join('')
    .slice(0, length)
}

/** Gives each call of the history an id that the host takes and that no other call has, and its result the same one. */
export function fitToolCallIds(messages: readonly Json[], form: ToolCallIdForm): readonly Json[] {
  const used = new Set<string>()
  // Of one id the calls still without a result, in order: the results come in the order of the calls.
  const open = new Map<string, string[]>()

  const times = new Map<string, number>()

  function fitted(id: string): string {
    let count = (times.get(id) ?? 0) + 1
    let given = fitToolCallId(count === 1 ? id : `${id} ${count}`, form)
    for (; used.has(given); count += 1) given = fitToolCallId(`${id} ${count + 1}`, form)
    times.set(id, count)
    used.add(given)
    return given
  }

  function fitCalls(message: JsonObject, calls: readonly Json[]): JsonObject {
    const before = new Set<string>()
    const renamed = calls.map(call => {
      if (!isJsonObject(call) || typeof call['id'] !== 'string') return call
      const { id } = call
      if (!before.has(id)) open.set(id, [])
      before.add(id)
      const given = fitted(id)
      open.get(id)?.push(given)
      return { ...call, id: given }
    })
    return { ...message, tool_calls: renamed }
  }

  function answered(id: string): string {
    const waiting = open.get(id) ?? []
    const [first = fitToolCallId(id, form)] = waiting
    if (waiting.length > 1) waiting.shift()
    return first
  }

  return messages.map(message => {
    if (!isJsonObject(message)) return message
    const { tool_calls: calls, tool_call_id: id } = message
    if (Array.isArray(calls)) return fitCalls(message, calls)
    return typeof id === 'string' ? { ...message, tool_call_id: answered(id) } : message
  })
}
