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

/** The options of `parseArgs` by which a command is told which stack it is about. */
export const STACK_OPTIONS = {
  stack: { type: 'string' },
  profile: { type: 'string' },
  region: { type: 'string' },
} as const

/** The options of `parseArgs` by which a command is told which fleet it is about. */
export const FLEET_OPTIONS = { ...STACK_OPTIONS, url: { type: 'string' }, key: { type: 'string' } } as const

/** For the usage of commands that take `STACK_OPTIONS`. */
export const STACK_USAGE = `  --stack NAME  a deployed stack, such as Backstop-prod; with --profile NAME and --region NAME as in the AWS CLI`

/** For the usage of commands that take `FLEET_OPTIONS`. */
export const FLEET_USAGE = `  --url URL     a local gateway (default: BACKSTOP_URL, else http://127.0.0.1:4141)
${STACK_USAGE}
  --key KEY     the client key to send; setting BACKSTOP_CLIENT_KEY is safer`

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
