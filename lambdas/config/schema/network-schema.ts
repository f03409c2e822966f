import * as z from 'zod/mini'

const idsOf = (what: string, example: string) => {
  const expected = `expected a list of ids such as ["${example}"]`
  const pattern = new RegExp(`^${what}-[0-9a-f]{8,17}$`)
  return z
    .array(z.string(expected).check(z.regex(pattern, `expected an id such as "${example}"`)), expected)
    .check(z.minLength(1, expected))
}

/** The network in which the functions run that call providers. */
export const vpc = z.optional(
  z.strictObject(
    {
      subnetIds: idsOf('subnet', 'subnet-0a1b2c3d4e5f60718'),
      securityGroupIds: idsOf('sg', 'sg-0a1b2c3d4e5f60718'),
    },
    'expected an object such as { subnetIds: ["subnet-…"], securityGroupIds: ["sg-…"] }',
  ),
)
