import { closestModel } from '../../core/health/closest-model.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import type { Failure } from '../../core/failures/failure.ts'
import { isRetired, readSuggestion, writeSuggestion } from '../../core/health/retirement.ts'
import { endpointKey } from '../../core/item-keys.ts'
import { isJsonObject } from '../../core/json.ts'
import { parseJson } from '../../core/parse-json.ts'
import { upstreamTarget } from '../../providers/upstream-target.ts'
import { itemAt } from '../memory/change-item.ts'
import { readText } from '../request/answer/response-body.ts'
import { callUpstream } from '../request/upstream/call-upstream.ts'
import { createWatchdog } from '../request/upstream/watchdog.ts'
import type { ProbeTools } from './probe-endpoint.ts'

const DAY_MS = 86_400_000
const LIST_MS = 10_000
/** The longest lists are of some hundred models with a page of text about each. */
const MAX_LIST_BYTES = 8 * 1024 * 1024
const MOST_MODELS = 5_000

/** What the name of a model may look like that is stored and shown: no blank, nothing that a terminal obeys. */
const MODEL_NAME = /^[\w.:@/+-]{1,128}$/

/** The models that a list names, in any of its usual shapes. */
function modelsIn(list: unknown): readonly string[] {
  const entries = isJsonObject(list) ? (list['data'] ?? list['models']) : list
  if (!Array.isArray(entries)) return []
  return entries.slice(0, MOST_MODELS).flatMap(entry => {
    const name: unknown = isJsonObject(entry) ? (entry['id'] ?? entry['name']) : entry
    return typeof name === 'string' && MODEL_NAME.test(name) ? [name] : []
  })
}

/** Google's list has a word before every name that its requests need not have. */
const namedLike = (model: string, name: string): string =>
  model.startsWith('models/') ? name : name.replace(/^models\//, '')

async function readModels(
  { attempts: { agents, clock, secrets } }: ProbeTools,
  endpoint: Endpoint,
  secret: string | null,
): Promise<readonly string[]> {
  const watchdog = createWatchdog(new AbortController().signal, clock)
  watchdog.arm(LIST_MS, 'BACKSTOP_FIRST_OUTPUT_TIMEOUT')
  try {
    const target = upstreamTarget(endpoint, secret, '/models')
    const call = { ...target, method: 'GET', body: Buffer.alloc(0), connectMs: LIST_MS } as const
    const { status, body } = await callUpstream({ ...call, signal: watchdog.signal }, agents, clock)
    const text = await readText(body, MAX_LIST_BYTES)
    body.destroy()
    if (status !== 200) return []
    const names = modelsIn(parseJson(text)).map(name => namedLike(endpoint.model, name))
    // Whoever echoes a key as the name of a model gets it into no table.
    return names.filter(name => !secrets().some(key => name.includes(key)))
  } catch {
    return []
  } finally {
    watchdog.release()
  }
}

/**
 * Looks for the successor of a model that is retired, once a day: the closest of what the provider itself lists. To be
 * called when its probe has failed again. Never rejects.
 */
export async function suggestModel(
  tools: ProbeTools,
  endpoint: Endpoint,
  { failure, key }: { failure: Failure; key: string | null },
): Promise<void> {
  const { clock, store, stateError } = tools
  const at = clock.now()
  const itemKey = endpointKey(endpoint.id)
  const health = itemAt(tools.view.known(), 'endpoint', itemKey)?.health
  if (!health || !isRetired(health, failure, at)) return
  try {
    const before = readSuggestion((await store.readStats()).get(itemKey)?.suggestion ?? null)
    if (before && at - before.at < DAY_MS) return
    const secret = key === null ? null : (tools.secretOf(endpoint.provider, key) ?? null)
    const listed = await readModels(tools, endpoint, secret)
    const model = closestModel(endpoint.model, listed, failure.message)
    await store.noteSuggestion(itemKey, writeSuggestion({ at, model }), at + 8 * DAY_MS)
  } catch (error) {
    stateError(error)
  }
}
