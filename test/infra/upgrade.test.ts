import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CONFIG, createApp, synthesise } from './synthesise.ts'

type Resource = { Type: string; DeletionPolicy?: string; Properties: Record<string, unknown> }
type Kept = { type: string; immutable: Record<string, unknown> }

/** What holds data, a key or an address, by the properties whose change makes CloudFormation create another one. */
const REPLACED_BY: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': [
    'TableName',
    'KeySchema',
    'AttributeDefinitions',
    'LocalSecondaryIndexes',
    'ImportSourceSpecification',
  ],
  // A change of the block does not replace the secret: it generates it again, without the keys that were added.
  'AWS::SecretsManager::Secret': ['Name', 'GenerateSecretString'],
  'AWS::Lambda::Url': ['Qualifier', 'TargetFunctionArn'],
  'AWS::Lambda::Function': ['FunctionName', 'PackageType'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::SNS::Topic': ['TopicName', 'FifoTopic'],
}
const RETAINED = ['AWS::DynamoDB::Table', 'AWS::SecretsManager::Secret']

const FIXTURE = new URL('../fixtures/stateful-resources.json', import.meta.url)
/** What stacks that are deployed hold. A difference loses their data, or moves their URL. */
const stored = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Record<string, Kept>
const flags = (JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> }).context

const everyOption = {
  auth: 'iam',
  deletionProtection: true,
  reservedConcurrency: 5,
  logRetentionDays: 7,
  alarmEmail: 'oncall@example.com',
  vpc: { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] },
  tags: { team: 'search' },
  permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
  budget: { dollarsPerMonth: 50 },
  canary: true,
}
const upgrades: [string, object, object][] = [
  ['as it is', CONFIG, {}],
  ['with the flags of cdk.json', CONFIG, flags],
  ['with another alias and provider', { models: { other: { tiers: [['openai/gpt-4o']] } } }, flags],
  ['with every option', { ...CONFIG, settings: { retry_max_attempts: 2 }, deploy: everyOption }, flags],
  [
    'with the least',
    { ...CONFIG, deploy: { alarms: 'none', dashboard: false, metrics: 'essential' } },
    flags,
  ],
]

const resourcesOf = (configuration: object, context: object): Record<string, Resource> => {
  const { template } = synthesise(configuration, 'prod', createApp({ flags: context }))
  return (template.toJSON() as { Resources: Record<string, Resource> }).Resources
}

const keptOf = (resources: Record<string, Resource>): Record<string, Kept> =>
  Object.fromEntries(
    Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
      const immutable = REPLACED_BY[Type]?.filter(name => name in Properties)
      return immutable
        ? [
            [
              id,
              { type: Type, immutable: Object.fromEntries(immutable.map(name => [name, Properties[name]])) },
            ],
          ]
        : []
    }),
  )

// `UPDATE_STATEFUL=1` stores what the stack holds now: for what is new, never for what is different.
if (process.env.UPDATE_STATEFUL === '1')
  writeFileSync(
    FIXTURE,
    `${JSON.stringify(keptOf(resourcesOf({ ...CONFIG, deploy: { canary: true } }, flags)), null, 2)}\n`,
  )

describe.each(upgrades)('an upgrade of a deployed stack, %s', (_, configuration, context) => {
  const resources = resourcesOf(configuration, context)
  const kept = keptOf(resources)

  it('replaces nothing that holds data or an address', () => {
    expect(kept).toEqual(Object.fromEntries(Object.keys(kept).map(id => [id, stored[id]])))
    expect(Object.keys(kept)).toEqual(
      expect.arrayContaining(Object.keys(stored).filter(id => isAlwaysThere(id))),
    )
  })

  it('retains the table and the secret', () => {
    const retained = Object.values(resources).filter(({ Type }) => RETAINED.includes(Type))
    expect(retained).toHaveLength(RETAINED.length)
    for (const resource of retained)
      expect(resource).toMatchObject({
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
      })
  })
})

/** Options leave out the dashboard's function, the topic of the alarms, and the canary. */
const isAlwaysThere = (id: string): boolean => !/^(?:Widget|Alarms|Canary)/.test(id)

it('nothing that is retained bears a name, which it would keep from its successor', () => {
  const named = Object.values(stored).flatMap(({ immutable }) => Object.keys(immutable))
  expect(named.filter(name => name.endsWith('Name'))).toEqual([])
})

describe('the flags of cdk.json', () => {
  const recommended = JSON.parse(
    readFileSync('node_modules/aws-cdk-lib/recommended-feature-flags.json', 'utf8'),
  ) as Record<string, unknown>
  const LEFT_OUT: Readonly<Record<string, string>> = {
    '@aws-cdk/core:enableAdditionalMetadataCollection': 'sends to AWS which constructs are used',
  }

  it('are those that this version of the CDK recommends, but for what has a reason', () => {
    const expected = Object.entries(recommended).filter(([name]) => !(name in LEFT_OUT))
    expect(flags).toEqual(Object.fromEntries(expected))
    expect(Object.keys(recommended)).toEqual(expect.arrayContaining(Object.keys(LEFT_OUT)))
  })

  it('change no logical id', () => {
    const ids = (context: object): string[] => Object.keys(resourcesOf(CONFIG, context)).toSorted()
    expect(ids(flags)).toEqual(ids({}))
  })
})
