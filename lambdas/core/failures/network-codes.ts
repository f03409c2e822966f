import { verdict, type Verdict } from './verdict.ts'

type NetworkRule = {
  readonly pattern: RegExp
  readonly gives: Verdict
  /** For an operator; null = what follows the code says it. */
  readonly sentence: string | null
}

const CONNECTION_GONE = verdict('network', { class: 'fatal' })
const GARBLED = verdict('malformed_response')
const CUT_SHORT = verdict('malformed_response', { scope: 'model' })
const TIMEOUT = verdict('timeout')
const RESOLVER_TROUBLE = verdict('dns', { class: 'retryable' })
const CLIENT_LEFT = verdict('network', { class: 'non_retryable', scope: 'request', tryNext: false })

/** Nothing was learned of the host; another one may be reached without the proxy, and no wait brings this one closer. */
const OWN_PROXY = verdict('network', { class: 'non_retryable', scope: 'own_network' })

const OWN_END = verdict('network', { scope: 'request', tryNext: false })

// First match wins: the exceptions of a family stand before the family.
const RULES: readonly NetworkRule[] = [
  {
    pattern: /^(?:ABORT_ERR|UND_ERR_ABORTED|ERR_CANCELED|AbortError)$/,
    gives: CLIENT_LEFT,
    sentence: 'The client left before the answer was complete',
  },
  {
    pattern: /^BACKSTOP_SHUTDOWN$/,
    gives: OWN_END,
    sentence: 'The gateway was stopped before the answer was complete',
  },
  {
    pattern: /^BACKSTOP_DEADLINE$/,
    gives: OWN_END,
    sentence: 'The time was over that the platform gives one request',
  },
  {
    pattern: /^BACKSTOP_INTERNAL$/,
    gives: OWN_END,
    sentence: 'The gateway failed while it wrote the answer; see the log for the request ID',
  },
  { pattern: /^BACKSTOP_PROXY$/, gives: OWN_PROXY, sentence: null },
  { pattern: /^BACKSTOP_PROXY_UNREACHED$/, gives: verdict('network'), sentence: null },
  {
    pattern: /^BACKSTOP_CONNECT_TIMEOUT$/,
    gives: TIMEOUT,
    sentence: 'The connection was not established in time',
  },
  { pattern: /^BACKSTOP_FIRST_OUTPUT_TIMEOUT$/, gives: TIMEOUT, sentence: 'No output arrived in time' },
  {
    pattern: /^BACKSTOP_IDLE_TIMEOUT$/,
    gives: TIMEOUT,
    sentence: 'The answer stalled: no event for too long',
  },
  { pattern: /^BACKSTOP_TOTAL_TIMEOUT$/, gives: TIMEOUT, sentence: 'The answer was not complete in time' },
  {
    pattern: /^BACKSTOP_TRUNCATED$/,
    gives: CUT_SHORT,
    sentence: 'The answer ended without a finish reason: it was cut short',
  },
  {
    pattern: /^BACKSTOP_EMPTY_COMPLETION$/,
    gives: CUT_SHORT,
    sentence: 'The answer finished without any output',
  },
  {
    pattern: /^BACKSTOP_WINDOW_FULL$/,
    gives: verdict('context_length'),
    sentence: 'The prompt left no room for an answer in the context window of the model',
  },
  {
    pattern: /^BACKSTOP_WRONG_VECTORS$/,
    gives: CUT_SHORT,
    sentence: 'The answer does not hold the vectors that were asked for',
  },
  {
    pattern: /^BACKSTOP_MALFORMED$/,
    gives: GARBLED,
    sentence: 'The answer was not in the chat completions format',
  },
  {
    pattern: /^BACKSTOP_ANSWER_TOO_LARGE$/,
    gives: CUT_SHORT,
    sentence:
      'The answer is larger than the gateway takes: 32 MB in one event or one held answer, 128 choices, 1,024 tool calls, 4,096 fields',
  },
  {
    pattern: /^(?:ENOTFOUND|EAI_NONAME|EAI_NODATA|ENODATA)$/,
    gives: verdict('dns'),
    sentence: 'The host name does not exist',
  },
  {
    pattern: /^(?:EAI_AGAIN|EAI_FAIL|ESERVFAIL|ETIMEOUT|EREFUSED|ECANCELLED)$/,
    gives: RESOLVER_TROUBLE,
    sentence: 'The host name could not be resolved just now',
  },
  {
    pattern: /^ECONNREFUSED$/,
    gives: CONNECTION_GONE,
    sentence: 'The host refused the connection: nothing listens there',
  },
  { pattern: /^(?:EHOSTUNREACH|EHOSTDOWN)$/, gives: CONNECTION_GONE, sentence: 'The host cannot be reached' },
  {
    pattern: /^(?:ERR_INVALID_URL|ERR_INVALID_PROTOCOL)$/,
    gives: CONNECTION_GONE,
    sentence: 'The base URL is not a valid address',
  },
  {
    pattern: /^ERR_INVALID_CHAR$/,
    gives: verdict('auth'),
    sentence: 'The key holds a character that no header may carry',
  },
  {
    pattern: /TIMEOUT|^(?:ETIMEDOUT|ESOCKETTIMEDOUT|TimeoutError)$/,
    gives: TIMEOUT,
    sentence: 'The host did not answer in time',
  },
  {
    pattern: /BAD_RECORD_MAC|DECRYPTION_FAILED|UNEXPECTED_EOF/,
    gives: verdict('network'),
    sentence: 'The encrypted connection broke',
  },
  {
    pattern:
      /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/,
    gives: verdict('tls'),
    sentence:
      'No authority that is trusted here has signed the certificate; if it is from your own network, set NODE_EXTRA_CA_CERTS to its PEM file',
  },
  {
    pattern:
      /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CRL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_MISMATCH|ERROR_IN_CERT|OCSP_|EPROTO$)/,
    gives: verdict('tls'),
    sentence: 'The TLS handshake failed: the certificate or the protocol is wrong',
  },
  {
    pattern:
      /^(?:HPE_|Z_|ERR_ZLIB|ERR_BROTLI|ERR_HTTP_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|UND_ERR_RES_EXCEEDED)/,
    gives: GARBLED,
    sentence: 'The response could not be decoded',
  },
  {
    pattern:
      /^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED|ERR_STREAM_PREMATURE_CLOSE)$/,
    gives: verdict('network'),
    sentence: 'The connection broke',
  },
  {
    pattern: /^(?:ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/,
    gives: verdict('network'),
    sentence: 'Our own network has no way to the host',
  },
]

const UNKNOWN = { gives: verdict('network'), sentence: 'The connection failed' }

const messageOf = ({ sentence }: NetworkRule, word: string, whole: string): string =>
  sentence === null ? whole.slice(whole.indexOf(word) + word.length).trim() : `${sentence} (${word})`

/**
 * Judges a transport failure by its cause code.
 * @param code what `networkCodeOf` found; a whole sentence is searched for a known code
 * @returns the verdict, the code that decided it, and a sentence for an operator
 * @see https://nodejs.org/api/errors.html#common-system-errors and https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
export function judgeNetworkCode(code: string): { verdict: Verdict; code: string; message: string } {
  const words = code.slice(0, 2_000).match(/\b[A-Za-z]\w{2,80}/g) ?? []
  for (const word of words) {
    const rule = RULES.find(candidate => candidate.pattern.test(word))
    if (rule) return { verdict: rule.gives, code: word, message: messageOf(rule, word, code) }
  }
  const short = words[0] ?? 'unknown'
  return { verdict: UNKNOWN.gives, code: short, message: `${UNKNOWN.sentence} (${short})` }
}
