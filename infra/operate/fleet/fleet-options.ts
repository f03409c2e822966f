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
export const STACK_USAGE = `  --stack NAME  the deployed stack, such as Backstop-prod; --profile NAME and --region NAME as for the AWS CLI`

/** For the usage of commands that take `FLEET_OPTIONS`. */
export const FLEET_USAGE = `  --url URL     a gateway on this machine
${STACK_USAGE}
  --key KEY     the client key to show; safer in BACKSTOP_CLIENT_KEY`

/** The choice as it was stated. Throws where it contradicts itself. */
export function fleetChoice(values: FleetChoice): FleetChoice {
  const { url, stack, profile, region } = values
  if (stack !== undefined && url !== undefined)
    throw new CommandError('--stack and --url name two different gateways. Say one of them.')
  if (stack === undefined && (profile !== undefined || region !== undefined))
    throw new CommandError('--profile and --region say where a stack is. Name it too: --stack NAME')
  if (stack === '') throw new CommandError('--stack wants a name, such as Backstop-prod.')
  return values
}
