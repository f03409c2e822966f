import { ProxyError } from '../../../lambdas/engine/request/upstream/proxy-error.ts'
import { CommandError, describeError } from '../../terminal/command-error.ts'
import { oneLine } from '../../terminal/paint.ts'

/** Who asks AWS for what, for messages. */
export type AwsQuestion = { what: string; region: string; profile?: string | undefined }

const NO_CREDENTIALS =
  /^(?:CredentialsProviderError|TokenProviderError|ProviderError|CredentialsError|SSOTokenProviderFailure)$/
const BAD_CREDENTIALS =
  /^(?:ExpiredToken(?:Exception)?|RequestExpired|InvalidClientTokenId|UnrecognizedClientException|InvalidSignatureException|SignatureDoesNotMatch|IncompleteSignature|AuthFailure)$/
const DENIED = /^(?:AccessDenied(?:Exception)?|UnauthorizedOperation|NotAuthorized)$/

/** What AWS refused, or why it was not reached, as one line that a person can act on. */
export function awsError(error: unknown, { what, region, profile }: AwsQuestion): CommandError {
  if (error instanceof CommandError) return error
  const name = error instanceof Error ? error.name : ''
  const message = oneLine(describeError(error))
  const identity = profile === undefined ? '' : ` of the profile '${profile}'`
  const told = (text: string): CommandError => new CommandError(text, { cause: error })
  if (NO_CREDENTIALS.test(name))
    return told(
      `No AWS credentials${identity}: ${sentence(message)} Try aws configure, aws sso login, or AWS_PROFILE.`,
    )
  if (BAD_CREDENTIALS.test(name))
    return told(`AWS does not accept the credentials${identity} (${name}). Renew them: aws sso login.`)
  if (DENIED.test(name)) return told(`AWS denies ${what} in ${region}: ${message}`)
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
