import { expect, it } from 'vitest'
import { planReply } from '../../../lambdas/http/replies/plan-reply.ts'
import { candidatesOf, requestFor } from '../../core/build.ts'

const plan = {
  candidates: candidatesOf([['a/one'], ['b/two']]),
  skipped: [],
  lastResorts: [],
  degraded: false,
}
const endpointsFor = (fallback: boolean): string[] => {
  const { candidates } = JSON.parse(String(planReply(requestFor({ fallback }), plan, 0).body))
  return candidates.map(({ endpoint }: { endpoint: string }) => endpoint)
}

it('a dry run shows whom the request would ask: the first endpoint alone where it wants no fallback', () => {
  expect(endpointsFor(true)).toEqual(['a/one', 'b/two'])
  expect(endpointsFor(false)).toEqual(['a/one'])
})
