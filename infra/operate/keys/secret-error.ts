import { awsError } from '../fleet/aws-error.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import type { FoundStack } from '../fleet/find-stack.ts'

/** Why the secret of a stack could not be read or changed, with what restores it where it is about to be deleted. */
export function secretError(error: unknown, { session, output }: FoundStack, doing: string): CommandError {
  const { region, profile } = session
  const id = output('secret')
  const name = error instanceof Error ? error.name : ''
  const message = error instanceof Error ? error.message : ''
  const where = `--secret-id ${shellWord(id)} --region ${region}${profile === undefined ? '' : ` --profile ${shellWord(profile)}`}`
  const told = (text: string): CommandError => new CommandError(text, { cause: error })
  if (name === 'InvalidRequestException' && /deletion|deleted/i.test(message))
    return told(
      `The secret '${id}' in ${region} is scheduled for deletion. Restore it: aws secretsmanager restore-secret ${where}`,
    )
  if (name === 'ResourceNotFoundException' && /staging label|version/i.test(message))
    return told(
      `The secret '${id}' in ${region} has no current version (AWSCURRENT). See which it has: aws secretsmanager list-secret-version-ids ${where}`,
    )
  if (name === 'ResourceNotFoundException')
    return told(
      `The secret '${id}' of the stack is not in ${region}, or holds nothing: somebody may have deleted it. ` +
        `See what is left: aws secretsmanager describe-secret ${where}`,
    )
  const action = doing === 'reading' ? 'secretsmanager:GetSecretValue' : SECRET_CHANGE
  return awsError(error, { what: `${doing} the secret '${id}'`, action, region, profile })
}

const SECRET_CHANGE = 'secretsmanager:GetSecretValue, PutSecretValue and UpdateSecretVersionStage'
