import type { Endpoint } from '../../core/endpoint.ts'
import { NORMAL, modeAfter, type Mode } from '../../core/health/mode.ts'
import { lookAgain } from '../../core/routing/plan.ts'
import { changeItem } from './change-item.ts'
import type { MemoryTools } from './memory-tools.ts'
import { knownSnapshot } from './snapshot-of.ts'

/** Looks at how many providers could be asked now, and stores whether the fleet is degraded for all to read. */
export async function judgeMode(tools: MemoryTools): Promise<void> {
  const { keys, clock, endpoints, log } = tools
  const at = clock.now()
  const known = keys()
  const snapshot = knownSnapshot(tools)
  const isUsable = (endpoint: Endpoint): boolean => {
    const availability = lookAgain(endpoint, snapshot, at)
    return availability.state === 'available' && (availability.keys.length > 0 || !endpoint.needsKey)
  }
  // A provider without a key was never part of the fleet.
  const keyed = endpoints.filter(({ needsKey, provider }) => !needsKey || known.get(provider)?.length)
  const all = new Set(keyed.map(({ provider }) => provider)).size
  const usable = new Set(keyed.filter(isUsable).map(({ provider }) => provider)).size
  let now: Mode = NORMAL
  const change = await changeItem(tools, 'mode', 'mode', item => {
    const before = item?.mode ?? NORMAL
    const mode = modeAfter(before, { usable, all, at })
    now = mode
    if (JSON.stringify(mode) === JSON.stringify(before)) return 'keep'
    return { mode, expiresAt: null }
  })
  const [from, to] = [change?.before?.mode.state ?? 'normal', change?.after?.mode.state ?? 'normal']
  if (change && from !== to) log({ event: 'mode-transition', from, to, usable, providers: all })
  // Each pass says so, because an alarm forgets a transition.
  if (now.state === 'degraded') log({ event: 'degraded', usable, providers: all })
}
