import type { OptionRow } from './command-row.ts'

/** Which stack a command is about. */
export const STACK_OPTIONS = {
  stack: {
    type: 'string',
    value: 'NAME',
    does: 'a deployed stack, such as Backstop-prod, in the place of a gateway on this machine',
  },
  profile: { type: 'string', value: 'NAME', does: 'with --stack: the profile of the AWS CLI' },
  region: {
    type: 'string',
    value: 'NAME',
    does: 'with --stack: the region, where AWS_REGION does not say it',
  },
} as const satisfies Record<string, OptionRow>

/** Which fleet a command is about: that of a stack, or of a gateway at a URL. */
export const FLEET_OPTIONS = {
  url: {
    type: 'string',
    value: 'URL',
    does: 'the gateway to ask; otherwise BACKSTOP_URL, or http://127.0.0.1:4141',
  },
  ...STACK_OPTIONS,
  key: { type: 'string', value: 'KEY', does: 'the client key to send; BACKSTOP_CLIENT_KEY is safer' },
} as const satisfies Record<string, OptionRow>
