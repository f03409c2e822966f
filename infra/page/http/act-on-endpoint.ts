import { byHandOf } from '../../../lambdas/core/health/health.ts'
import {
  closeBreaker,
  healthOf,
  quarantineEndpoint,
  releaseEndpoint,
} from '../../../lambdas/engine/operate/operate-endpoint.ts'
import type { Endpoint } from '../../../lambdas/core/endpoint.ts'
import type { MemoryTools } from '../../../lambdas/engine/memory/memory-tools.ts'
import { describeError } from '../../terminal/command-error.ts'
import { oneLine } from '../../terminal/paint.ts'
import { type ActionReport, PAGE_ACTIONS, type PageAction } from '../page-contract.ts'
import type { PageSource } from '../page-source.ts'

export const isPageAction = (name: unknown): name is PageAction =>
  PAGE_ACTIONS.some(action => action === name)

/** Probes, releases or quarantines an endpoint; null = there is none of this name. Rejects where the table is away. */
export async function actOnEndpoint(
  source: Pick<PageSource, 'tools' | 'probe'>,
  action: PageAction,
  name: string,
): Promise<ActionReport | null> {
  const tools = await source.tools().catch((error: unknown) => {
    const cause = describeError(error).replace(/\.$/, '')
    throw new Error(
      `The state table cannot be read: ${cause}. Nothing was changed; try again when the table answers.`,
    )
  })
  const endpoint = tools.endpoints.find(known => known.name === name)
  if (!endpoint) return null
  switch (action) {
    case 'probe':
      return probe(source, endpoint)
    case 'release':
      return release(tools, endpoint)
    case 'quarantine':
      return quarantine(tools, endpoint)
  }
}

async function probe(source: Pick<PageSource, 'probe'>, { id, name }: Endpoint): Promise<ActionReport> {
  const [result] = await source.probe({ force: true, endpoint: id })
  if (!result)
    return { message: `${name} was not probed: another probe of it is running. Try again in 45 s.` }
  const { outcome, message, durationMs } = result
  const told = message === null ? '' : `: ${oneLine(message)}`
  const ms = Math.round(durationMs)
  return {
    message:
      outcome === 'ok'
        ? `${name} answered the probe in ${ms} ms.`
        : `The probe of ${name} failed after ${ms} ms with ${outcome}${told}`,
  }
}

/** Whatever bars it: its own quarantine and cooldowns, and the breaker of its provider. */
async function release(tools: MemoryTools, endpoint: Endpoint): Promise<ActionReport> {
  const isClosed = await closeBreaker(tools, endpoint.provider)
  const { from, cooldowns } = await releaseEndpoint(tools, endpoint)
  const done = [
    from === 'healthy' ? null : `it was ${from}`,
    cooldowns === 0 ? null : `${cooldowns === 1 ? '1 cooldown was' : `${cooldowns} cooldowns were`} removed`,
    isClosed ? `the breaker of ${endpoint.provider} was closed` : null,
  ].filter(part => part !== null)
  if (done.length === 0) return { message: `${endpoint.name} was healthy already.` }
  return { message: `${endpoint.name} is released: ${done.join(', ')}.` }
}

async function quarantine(tools: MemoryTools, endpoint: Endpoint): Promise<ActionReport> {
  const { name } = endpoint
  if (byHandOf(healthOf(tools, endpoint)) !== undefined)
    return { message: `${name} was quarantined by hand already.` }
  await quarantineEndpoint(tools, endpoint, '')
  if (tools.settings().endpoint_health_disabled)
    return {
      message: `${name} is in quarantine, but endpoint_health_disabled is on: it is called all the same.`,
    }
  return { message: `${name} is in quarantine. It stays there until it is released.` }
}
