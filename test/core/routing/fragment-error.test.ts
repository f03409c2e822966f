import { expect, it } from 'vitest'
import { fragmentError } from '../../../lambdas/core/routing/fragment-error.ts'
import { endpointNamed, failureOf } from '../build.ts'

const cut = failureOf({ kind: 'network', status: 200, message: 'The connection was reset.' })
const endpoint = endpointNamed('b/two')

it('a stream that broke off says who broke it, why, and that the rest is a fragment', () => {
  expect(fragmentError(endpoint, cut)).toEqual({
    code: 'stream_cut',
    message: expect.stringMatching(
      /^The answer of b\/two broke off \(network\): The connection was reset\. .*fragment/,
    ) as string,
  })
})

it('what the upstream said does not run into what we say', () => {
  const { message } = fragmentError(endpoint, { ...cut, message: 'The connection broke (ECONNRESET)' })
  expect(message).toContain('(ECONNRESET). What came before')
})

it('a stream that stalled is a timeout', () => {
  expect(fragmentError(endpoint, failureOf({ kind: 'timeout', status: 200 })).code).toBe('upstream_timeout')
})
