import { isJsonObject, type JsonObject } from '../json.ts'
import { presentFinish, shownFinish } from './finish-reasons.ts'
import type { ChunkView } from './inspect-chunk.ts'
import type { ChunkNormaliser } from './repair/normalise-chunk.ts'
import { withFields } from './repair/with-fields.ts'

type Held = { finish: string; chunk: JsonObject | null; shown: boolean }

/**
 * Keeps each finish reason back until its choice has really ended: some hosts put one on every chunk, or on the last
 * thought, and clients stop at the first they see. What stands beside it goes on at once.
 */
export type FinishKeeper = {
  /** Whether a chunk with choices goes on as it is; if so it is taken in, or any chunk of the same labels in its place. */
  passes(chunk: JsonObject, view: ChunkView): boolean
  /** The chunks that may be shown now. */
  add(chunk: JsonObject, view: ChunkView): readonly JsonObject[]
  /** The end of every choice, once nothing more will come. Empty when asked again. */
  end(): readonly JsonObject[]
}

const LABELS = ['id', 'object', 'created', 'model', 'system_fingerprint'] as const

/** The chunk without the finish reasons of these choices. */
function unfinished(chunk: JsonObject): JsonObject {
  const choices = Array.isArray(chunk.choices) ? chunk.choices : []
  return withFields(chunk, {
    choices: choices.map(choice =>
      isJsonObject(choice) && choice.finish_reason ? { ...choice, finish_reason: null } : choice,
    ),
  })
}

export function createFinishKeeper(calls: Pick<ChunkNormaliser, 'missingCalls' | 'called'>): FinishKeeper {
  const held = new Map<number, Held>()
  const begun = new Set<number>()
  /** The last chunk with a choice. */
  let labelled: JsonObject = {}

  /** The end of a choice on a chunk of its own. */
  const closing = (index: number, finish: string, delta: JsonObject): JsonObject => ({
    ...Object.fromEntries(LABELS.filter(name => name in labelled).map(name => [name, labelled[name]])),
    choices: [{ index, delta, finish_reason: finish }],
  })

  function close(index: number, { finish, chunk }: Held): JsonObject {
    const missing = calls.missingCalls(index)
    const word = shownFinish(presentFinish(finish, calls.called(index)))
    const [choice] = Array.isArray(chunk?.choices) ? chunk.choices : []
    if (!chunk || !isJsonObject(choice)) {
      return closing(index, word, missing.length === 0 ? {} : { tool_calls: missing })
    }
    if (missing.length === 0 && choice.finish_reason === word) return chunk
    const delta = isJsonObject(choice.delta) ? choice.delta : {}
    const fields = missing.length === 0 ? delta : { ...delta, tool_calls: missing }
    return { ...chunk, choices: [{ ...choice, delta: fields, finish_reason: word }] }
  }

  function release(): readonly JsonObject[] {
    const waiting = [...held].filter(([, { shown }]) => !shown)
    for (const [, one] of waiting) one.shown = true
    return waiting.map(([index, one]) => close(index, one))
  }

  /** A choice that goes on after its finish: what was held back was no end. */
  function reopen(index: number): readonly JsonObject[] {
    const before = held.get(index)
    if (!before) return []
    const chunk = before.shown ? null : before.chunk
    held.set(index, { finish: before.finish, chunk: null, shown: false })
    return chunk ? [unfinished(chunk)] : []
  }

  function addChoices(chunk: JsonObject, { choices }: ChunkView): readonly JsonObject[] {
    const before = choices
      .filter(({ output, finish }) => output || finish !== null)
      .flatMap(({ index }) => reopen(index))
    const ending = choices.filter(({ finish }) => finish !== null)
    if (ending.length === 0) return [...before, chunk]
    const only = choices.length === 1 && choices.every(({ output }) => !output)
    for (const { index, finish } of ending) {
      held.set(index, { finish: finish ?? '', chunk: only ? chunk : null, shown: false })
    }
    return only ? before : [...before, unfinished(chunk)]
  }

  /** Most of an answer comes before any finish. */
  function passes(chunk: JsonObject, { choices }: ChunkView): boolean {
    if (held.size > 0 || choices.length === 0 || choices.some(({ finish }) => finish !== null)) return false
    for (const { index } of choices) begun.add(index)
    labelled = chunk
    return true
  }

  return {
    passes,
    add(chunk, view) {
      if (passes(chunk, view)) return [chunk]
      for (const { index } of view.choices) begun.add(index)
      if (view.choices.length > 0) {
        labelled = chunk
        return addChoices(chunk, view)
      }
      // Usage on a chunk of its own is the last that is said.
      return view.usage ? [...release(), chunk] : [chunk]
    },
    end() {
      for (const index of begun) {
        if (!held.has(index)) held.set(index, { finish: 'stop', chunk: null, shown: false })
      }
      return release()
    },
  }
}
