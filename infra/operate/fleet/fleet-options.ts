import { CommandError } from '../../terminal/command-error.ts'

/** Which fleet a command is about: the one of a gateway at a URL, or that of a deployed stack. */
export type FleetChoice = {
  url?: string | undefined
  stack?: string | undefined
  profile?: string | undefined
  region?: string | undefined
  /** The client key to show, in the place of the one that is found. */
  key?: string | undefined
}

/** The choice as it was stated. Throws where it contradicts itself. */
export function fleetChoice(values: FleetChoice): FleetChoice {
  const { url, stack, profile, region } = values
  if (stack !== undefined && url !== undefined)
    throw new CommandError('Use either --stack or --url, not both.')
  if (stack === undefined && (profile !== undefined || region !== undefined))
    throw new CommandError('--profile and --region need --stack NAME.')
  if (stack === '') throw new CommandError('--stack needs a name, such as Backstop-prod.')
  return values
}
