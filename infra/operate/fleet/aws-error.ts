import { ProxyError } from '../../../lambdas/engine/request/upstream/proxy-error.ts'
import { CommandError, describeError } from '../../terminal/command-error.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { oneLine } from '../../terminal/paint.ts'

/** Who asks AWS for what, for messages. */
export type AwsQuestion = {
  what: string
  region: string
  profile?: string | undefined
  /** What the identity has to be allowed: `lambda:InvokeFunction`. */
  action?: string
}

const NO_CREDENTIALS =
  /^(?:CredentialsProviderError|TokenProviderError|ProviderError|CredentialsError|SSOTokenProviderFailure)$/
const BAD_CREDENTIALS =
  /^(?:ExpiredToken(?:Exception)?|RequestExpired|InvalidClientTokenId|UnrecognizedClientException|InvalidSignatureException|SignatureDoesNotMatch|IncompleteSignature|AuthFailure)$/
const THROTTLED =
  /^(?:Throttl(?:ing|ed)(?:Exception)?|TooManyRequests(?:Exception)?|RequestLimitExceeded|LimitExceededException|RequestThrottled(?:Exception)?|SlowDown)$/
const DENIED = /^(?:AccessDenied(?:Exception)?|UnauthorizedOperation|NotAuthorized)$/

/** The SDK has a sentence for each way to sign in, and one name for most that can go wrong. */
const EXPIRED_SESSION = /\b(?:session|token)\b.*\b(?:expired|invalid)\b|\bexpired\b/i

/** What AWS refused, or why it was not reached, as one line that a person can act on. */
export function awsError(error: unknown, { what, region, profile, action }: AwsQuestion): CommandError {
  if (error instanceof CommandError) return error
  const name = error instanceof Error ? error.name : ''
  const message = oneLine(describeError(error))
  const identity = profile === undefined ? '' : ` of the profile '${profile}'`
  const login = `aws sso login${profile === undefined ? '' : ` --profile ${shellWord(profile)}`}`
  const told = (text: string): CommandError => new CommandError(text, { cause: error })
  if (NO_CREDENTIALS.test(name))
    return told(
      EXPIRED_SESSION.test(message)
        ? `The AWS session${identity} has expired, or was never opened. Sign in: ${login}`
        : `No AWS credentials${identity}: ${sentence(message)} Try aws configure, ${login}, or AWS_PROFILE.`,
    )
  if (BAD_CREDENTIALS.test(name))
    return told(
      `AWS does not accept the credentials${identity} (${name}). Renew them, with an identity provider: ${login}`,
    )
  if (DENIED.test(name)) {
    const needs = action === undefined ? '' : ` The identity${identity} needs ${action}.`
    return told(`AWS denies ${what} in ${region}: ${sentence(message)}${needs}`)
  }
  if (THROTTLED.test(name))
    return told(
      `AWS answers too slowly for ${what} in ${region}: too many calls (${name}). Try again in a minute.`,
    )
  // The parser quotes what it could not read, and that may have been a secret.
  if (error instanceof SyntaxError)
    return new CommandError(`AWS sent an unreadable answer to ${what} in ${region}.`)
  if (error instanceof ProxyError) return told(`AWS cannot be reached in ${region}: ${error.message}.`)
  const code = networkCodeOf(error)
  if (code !== null) return told(`AWS cannot be reached in ${region} for ${what}: ${code}.`)
  return told(`${capital(what)} failed in ${region}: ${name === '' ? message : `${name}: ${message}`}`)
}

function networkCodeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if (error.name === 'TimeoutError') return 'timeout'
  if ('code' in error && typeof error.code === 'string') return error.code
  return null
}

/** Some of the SDK's messages end in a full stop, others do not. */
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
