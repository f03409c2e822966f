import { refusesSomething } from './wording/field-wording.ts'
import type { ErrorEnvelope } from './envelope/error-envelope.ts'
import type { ProviderTraits } from './provider-failures.ts'
import { MONEY_WALL, verdict, type Verdict } from './verdict.ts'
import { refusesKey, refusesModel } from './wording/target-wording.ts'
import { mentionsModel } from './wording/wording.ts'

const WRONG_PATH = verdict('model_not_found', { scope: 'endpoint' })
const NOT_AN_API = verdict('malformed_response', { class: 'fatal' })

/** What a status means where nothing in the answer said more. Words of an edge blame the host, never the key. */
export function verdictForStatus(status: number, envelope: ErrorEnvelope): Verdict {
  const fromEdge = envelope.form === 'html' || envelope.form === 'text'
  const wordless = fromEdge || envelope.form === 'empty'
  switch (status) {
    case 401:
      // Relays refuse a model that they do not sell as they refuse a key: the key still opens all the others.
      if (refusesModel(envelope.message)) return verdict('permission', { scope: 'model' })
      return verdict('auth', { scope: envelope.form === 'html' ? 'endpoint' : 'key' })
    case 402:
      return MONEY_WALL
    case 403:
      return verdict('permission', {
        scope: fromEdge ? 'endpoint' : refusesKey(envelope.message) ? 'key' : 'model',
      })
    case 404:
      // Something is missing there, whatever it is called: that is no fault of the request.
      return envelope.form === 'html' || envelope.message === '' ? WRONG_PATH : unknownRequestFault(envelope)
    case 405:
      return WRONG_PATH
    case 408:
    case 504:
      return verdict('timeout', { scope: wordless ? 'endpoint' : 'model' })
    case 410:
      return verdict('model_not_found')
    case 413:
    case 414:
    case 431:
      return verdict('payload_too_large')
    case 422:
      return verdict('unsupported_param', {
        scope: fromEdge || mentionsModel(envelope.message) ? 'model' : 'provider',
      })
    case 424:
      return verdict('server_error', { scope: 'model' })
    case 451:
      return verdict('permission', { scope: 'provider' })
    case 409:
    case 425:
    case 499:
      return verdict('server_error', { scope: wordless ? 'endpoint' : 'model' })
    case 429:
      return verdict('rate_limit', { scope: fromEdge ? 'endpoint' : 'model' })
    case 503:
    case 529:
      return verdict('overloaded', { scope: wordless ? 'endpoint' : 'model' })
    default:
      return verdictForStatusClass(status, envelope, wordless)
  }
}

function verdictForStatusClass(status: number, envelope: ErrorEnvelope, wordless: boolean): Verdict {
  if (status >= 500) return verdict('server_error', { scope: wordless ? 'endpoint' : 'provider' })
  if (status >= 400) return unknownRequestFault(envelope)
  // A redirect leads to a login page or to another address: either way this is not the API's base URL.
  if (status >= 300) return NOT_AN_API
  return verdict('malformed_response')
}

/** A refusal that no rule knows: one host's taste, until a further host refuses too. */
function unknownRequestFault(envelope: ErrorEnvelope): Verdict {
  const words = `${envelope.message} ${envelope.inner}`
  if (refusesSomething(words)) {
    return verdict('unsupported_param', { scope: mentionsModel(words) ? 'model' : 'provider' })
  }
  return verdict('bad_request')
}

/** A provider that serves the models of others is not to blame for one of them. */
export function placeServerError(
  judged: Verdict,
  traits: ProviderTraits,
  scope: 'provider' | 'model',
): Verdict {
  if (judged.kind !== 'server_error' || judged.scope !== 'provider') return judged
  return { ...judged, scope: traits.selfHosted === true ? 'endpoint' : scope }
}
