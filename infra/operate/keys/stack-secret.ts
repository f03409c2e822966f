import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager'
import { parseJsonObject, type JsonObject } from '../../../lambdas/core/json.ts'
import { CommandError } from '../../terminal/command-error.ts'
import type { FoundStack } from '../fleet/find-stack.ts'
import { secretError } from './secret-error.ts'

/** What a secret holds now, and the version by which that is known. */
export type SecretContent = { value: JsonObject; version: string }

const CURRENT = 'AWSCURRENT'
/** A version bears it until it is found to follow the one that was read. */
const PENDING = 'BACKSTOP_PENDING'
const TRIES = 2

function clientOf({ session, output }: FoundStack) {
  return { client: new SecretsManagerClient(session), id: output('secret') }
}

async function read(client: SecretsManagerClient, id: string): Promise<SecretContent> {
  const { SecretString = '', VersionId } = await client.send(
    new GetSecretValueCommand({ SecretId: id, VersionStage: CURRENT }),
  )
  const value = parseJsonObject(SecretString)
  if (value === undefined || VersionId === undefined)
    throw new CommandError(
      `The secret '${id}' is not a JSON object. Repair it in the AWS console, under Retrieve secret value.`,
    )
  return { value, version: VersionId }
}

/** `PutSecretValue` alone would overwrite whatever somebody else has written meanwhile; moving a label does not. */
async function replace(
  client: SecretsManagerClient,
  id: string,
  { value, version }: SecretContent,
): Promise<boolean> {
  const SecretString = JSON.stringify(value)
  const put = new PutSecretValueCommand({ SecretId: id, SecretString, VersionStages: [PENDING] })
  const { VersionId } = await client.send(put)
  try {
    const move = { VersionStage: CURRENT, MoveToVersionId: VersionId, RemoveFromVersionId: version }
    await client.send(new UpdateSecretVersionStageCommand({ SecretId: id, ...move }))
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'InvalidParameterException') return false
    throw error
  }
}

/** Reads the secret of a stack. */
export async function readStackSecret(stack: FoundStack): Promise<JsonObject> {
  const { client, id } = clientOf(stack)
  try {
    return (await read(client, id)).value
  } catch (error) {
    throw secretError(error, stack, 'reading')
  } finally {
    client.destroy()
  }
}

/**
 * Changes the secret of a stack: reads it, lets `change` make a new one, and puts it in the place of the version that
 * was read; where somebody was faster, once more. Errors of `change` leave it as it is.
 */
export async function changeStackSecret(
  stack: FoundStack,
  change: (value: JsonObject) => JsonObject,
): Promise<void> {
  const { client, id } = clientOf(stack)
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { value, version } = await read(client, id)
      if (await replace(client, id, { value: change(value), version })) return
    }
    throw new CommandError('Someone else is changing the secret. Nothing was changed; try again.')
  } catch (error) {
    throw secretError(error, stack, 'changing')
  } finally {
    client.destroy()
  }
}
