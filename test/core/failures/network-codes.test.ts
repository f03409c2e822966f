import { describe, expect, test } from 'vitest'
import { networkCodeOf } from '../../../lambdas/core/failures/network-code-of.ts'
import { judgeNetworkCode } from '../../../lambdas/core/failures/network-codes.ts'

const coded = (code: string) => Object.assign(new Error(code), { code })

describe('the code of a transport error', () => {
  test.each<[string, unknown, string | null]>([
    ['is on the error itself', coded('ECONNRESET'), 'ECONNRESET'],
    ['is in its cause', new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }), 'ECONNREFUSED'],
    [
      'is deeper in the chain',
      new Error('a', { cause: new Error('b', { cause: coded('EPROTO') }) }),
      'EPROTO',
    ],
    ['is among the errors of an aggregate', new AggregateError([coded('ENETUNREACH')]), 'ENETUNREACH'],
    [
      'is the deepest where several are set',
      Object.assign(coded('ERR_X'), { cause: coded('ENOTFOUND') }),
      'ENOTFOUND',
    ],
    ['follows from the name of an abort', new DOMException('gone', 'AbortError'), 'ABORT_ERR'],
    ['follows from the name of a timeout', new DOMException('late', 'TimeoutError'), 'ETIMEDOUT'],
    ['is absent from a plain error', new Error('x'), null],
    ['is absent from what is no error', 'text', null],
    ['is absent from nothing', undefined, null],
  ])('%s', (_title, error, code) => {
    expect(networkCodeOf(error)).toBe(code)
  })

  test('is found in a chain that bites its own tail', () => {
    const first = new Error('a')
    const second = Object.assign(coded('EPIPE'), { cause: first })
    first.cause = second
    expect(networkCodeOf(first)).toBe('EPIPE')
  })

  test('survives a getter that throws', () => {
    const hostile = Object.defineProperty(new Error('a'), 'code', {
      get() {
        throw new Error('no')
      },
    })
    expect(networkCodeOf(hostile)).toBeNull()
  })
})

describe('what a code means', () => {
  test('a proxy in the way blames nobody, and says so in its own words', () => {
    expect(
      judgeNetworkCode('BACKSTOP_PROXY The proxy http://p.test:3128 cannot be reached (ECONNREFUSED)'),
    ).toEqual({
      verdict: {
        class: 'non_retryable',
        kind: 'network',
        scope: 'own_network',
        structural: false,
        tryNext: true,
      },
      code: 'BACKSTOP_PROXY',
      message: 'The proxy http://p.test:3128 cannot be reached (ECONNREFUSED)',
    })
  })

  test('an authority that nobody trusts is named with what helps', () => {
    const { verdict, message } = judgeNetworkCode('SELF_SIGNED_CERT_IN_CHAIN')
    expect(verdict.kind).toBe('tls')
    expect(message).toMatch(/set NODE_EXTRA_CA_CERTS to its PEM file \(SELF_SIGNED_CERT_IN_CHAIN\)$/)
  })

  test.each([
    ['ECONNREFUSED', 'network', 'fatal'],
    ['EHOSTUNREACH', 'network', 'fatal'],
    ['ENETUNREACH', 'network', 'retryable'],
    ['ECONNRESET', 'network', 'retryable'],
    ['ENOTFOUND', 'dns', 'fatal'],
    ['EAI_AGAIN', 'dns', 'retryable'],
    ['CERT_HAS_EXPIRED', 'tls', 'fatal'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'fatal'],
    ['ERR_TLS_HANDSHAKE_TIMEOUT', 'timeout', 'retryable'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'fatal'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout', 'retryable'],
    ['HPE_INVALID_CONSTANT', 'malformed_response', 'retryable'],
    ['Z_BUF_ERROR', 'malformed_response', 'retryable'],
    ['BACKSTOP_CONNECT_TIMEOUT', 'timeout', 'retryable'],
    ['BACKSTOP_IDLE_TIMEOUT', 'timeout', 'retryable'],
    ['BACKSTOP_TOTAL_TIMEOUT', 'timeout', 'retryable'],
    ['ABORT_ERR', 'network', 'non_retryable'],
    ['connect ECONNREFUSED 127.0.0.1:80', 'network', 'fatal'],
    ['', 'network', 'retryable'],
  ])('%s is %s and %s', (code, kind, failureClass) => {
    expect(judgeNetworkCode(code).verdict).toMatchObject({ kind, class: failureClass })
  })

  test('an operator reads a sentence, with the code at its end', () => {
    expect(judgeNetworkCode('ECONNREFUSED').message).toBe(
      'The host refused the connection: nothing listens there (ECONNREFUSED)',
    )
  })
})
