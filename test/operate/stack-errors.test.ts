import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, test } from 'vitest'
import { STACK, xmlError } from './fake-aws.ts'
import { openStackWorld } from './stack-world.ts'

const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['status', []],
  ['probe', []],
  ['release', ['a/b']],
  ['quarantine', ['a/b']],
  ['set', []],
  ['ask', ['Hello?']],
  ['why', ['request-1']],
  ['keys', ['list']],
]

const world = await openStackWorld()
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => world.aws.answers.clear())

const told = (pattern: RegExp) => ({ code: 1, stdout: '', stderr: expect.stringMatching(pattern) as unknown })
const stackWithout = (status: string, outputs = '') => ({
  body:
    `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>${STACK}</StackName>` +
    `<StackStatus>${status}</StackStatus><Outputs>${outputs}</Outputs></member></Stacks>` +
    '</DescribeStacksResult></DescribeStacksResponse>',
})

test.each(COMMANDS)('%s says that there is no such stack', async (command, args) => {
  expect(await world.run(command, args, { stack: 'Backstop-prdo' })).toEqual(
    told(
      /^There is no stack 'Backstop-prdo' in us-east-1, .* Did you mean "Backstop-test"\? Stacks of Backstop in us-east-1: Backstop-test\.\n$/,
    ),
  )
})

describe('finding the stack', () => {
  it('tells a deploy that has not ended from one that is old', async () => {
    world.aws.answers.set('DescribeStacks', () => stackWithout('CREATE_IN_PROGRESS'))
    expect(await world.run('set')).toEqual(
      told(/is being deployed for the first time.* \(CREATE_IN_PROGRESS\)/),
    )
    const other = '<member><OutputKey>Other</OutputKey><OutputValue>x</OutputValue></member>'
    world.aws.answers.set('DescribeStacks', () => stackWithout('UPDATE_COMPLETE', other))
    expect(await world.run('set')).toEqual(
      told(/is not one of Backstop: it has none of the outputs Url, SecretName, TableName, /),
    )
    const old = '<member><OutputKey>Url</OutputKey><OutputValue>x</OutputValue></member>'
    world.aws.answers.set('DescribeStacks', () => stackWithout('UPDATE_COMPLETE', old))
    expect(await world.run('set')).toEqual(told(/has no output TableName: an older version/))
  })

  it.each([
    [
      403,
      'AccessDenied',
      'User: arn:me is not authorized',
      /^AWS denies describing the stack .*: User: arn:me is not/,
    ],
    [
      403,
      'ExpiredToken',
      'The security token is expired',
      /^AWS does not accept the credentials \(ExpiredToken\)/,
    ],
    [
      403,
      'InvalidClientTokenId',
      'Bad token',
      /^AWS does not accept the credentials \(InvalidClientTokenId\)/,
    ],
  ])('%s %s is told in words', async (status, code, message, expected) => {
    world.aws.answers.set('DescribeStacks', () => xmlError(status, code, message))
    expect(await world.run('status')).toEqual(told(expected))
  })

  it('says that AWS is out of reach', async () => {
    const env = { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' }
    expect(await world.run('set', [], { env })).toEqual(
      told(/^AWS cannot be reached in us-east-1 for .*ECONNREFUSED/),
    )
  })
})

describe('who asks, and where', () => {
  const home = mkdtempSync(join(tmpdir(), 'backstop-aws-'))
  const [config, credentials] = [join(home, 'config'), join(home, 'credentials')]
  writeFileSync(
    config,
    `[profile work]
region = eu-west-1
[profile emulated]
region = us-east-1
endpoint_url = ${world.aws.endpoint}
services = table
[services table]
dynamodb =
  endpoint_url = ${world.tableEndpoint}
[sso-session office]
sso_start_url = https://office.example.com/start
sso_region = eu-west-1
[profile sso]
sso_session = office
sso_account_id = 123456789012
sso_role_name = operator
region = eu-west-1
`,
  )
  writeFileSync(
    credentials,
    `[work]
aws_access_key_id = of-work
aws_secret_access_key = local-secret
[emulated]
aws_access_key_id = local
aws_secret_access_key = local-secret
`,
  )
  const files = { AWS_CONFIG_FILE: config, AWS_SHARED_CREDENTIALS_FILE: credentials }
  const nobody = {
    AWS_ACCESS_KEY_ID: '',
    AWS_SECRET_ACCESS_KEY: '',
    AWS_EC2_METADATA_DISABLED: 'true',
    HOME: home,
  }
  const nowhere = { AWS_REGION: '' }
  const credential = (): string =>
    /Credential=[^,]+/.exec(world.aws.calls.at(-1)?.authorization ?? '')?.[0] ?? ''

  it('is said where there are no credentials', async () => {
    expect(await world.run('status', [], { env: { ...nobody } })).toEqual(
      told(/^No AWS credentials: .*[^.]\. Try aws configure, aws sso login/),
    )
  })

  it('is said where there is no region', async () => {
    const env = { ...nowhere, HOME: home }
    expect(await world.run('status', [], { env })).toEqual(told(/^No AWS region is set\. Use --region NAME/))
  })

  it('follows a profile, by option or environment', async () => {
    const env = { ...files, ...nobody, ...nowhere }
    expect((await world.run('keys', ['list', '--profile', 'work'], { env })).code).toBe(0)
    expect(credential()).toMatch(/^Credential=of-work\/\d+\/eu-west-1\/secretsmanager/)
    expect((await world.run('keys', ['list'], { env: { ...env, AWS_PROFILE: 'work' } })).code).toBe(0)
    expect(credential()).toMatch(/^Credential=of-work\/\d+\/eu-west-1\/secretsmanager/)
  })

  it('is said where the session with an identity provider has ended', async () => {
    const env = { ...files, ...nobody, ...nowhere }
    expect(await world.run('status', ['--profile', 'sso'], { env })).toEqual(
      told(/^The AWS session of the profile 'sso' has expired.* Sign in: aws sso login --profile sso\n$/),
    )
  })

  it('calls AWS where the profile says, the table included', async () => {
    const env = { ...files, ...nobody, ...nowhere, AWS_ENDPOINT_URL: '', AWS_ENDPOINT_URL_DYNAMODB: '' }
    const { code, stdout, stderr } = await world.run(
      'set',
      ['retry_max_attempts=3', '--profile', 'emulated'],
      {
        env,
      },
    )
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('retry_max_attempts = 3'), ''])
    await world.run('set', ['retry_max_attempts='])
  })

  it('follows a region, by option or environment', async () => {
    expect((await world.run('keys', ['list', '--region', 'eu-north-1'])).code).toBe(0)
    expect(credential()).toContain('/eu-north-1/')
    const env = { ...nowhere, AWS_DEFAULT_REGION: 'eu-west-3' }
    expect((await world.run('keys', ['list'], { env })).code).toBe(0)
    expect(credential()).toContain('/eu-west-3/')
  })

  it.each([
    [['--url', 'http://127.0.0.1:1'], /^Use either --stack or --url, not both/],
    [['--stack', ''], /^--stack needs a name/],
  ])('%j contradicts itself', async (args, expected) => {
    expect(await world.run('status', args, { stack: args[0] === '--stack' ? '' : STACK })).toEqual(
      told(expected),
    )
  })
})

describe('a service that refuses', () => {
  const denied = {
    status: 400,
    body: { __type: 'AccessDeniedException', message: 'not authorized to do it' },
  }
  it.each([
    [
      'GetSecretValue',
      'status',
      [],
      /^AWS denies reading the secret 'the-secret' in us-east-1: not authorized/,
    ],
    ['PutSecretValue', 'keys', ['set', 'groq'], /^AWS denies changing the secret 'the-secret'/],
    ['Invoke', 'probe', [], /^AWS denies invoking the-probe in us-east-1/],
    ['FilterLogEvents', 'why', ['request-1'], /^AWS denies reading the log the-log/],
  ])('%s is told in words', async (operation, command, args, expected) => {
    world.aws.answers.set(operation, () => denied)
    expect(await world.run(command, args, { stdin: 'gsk_old' })).toEqual(told(expected))
  })

  it.each([
    [
      'of the identity what it needs',
      'AccessDeniedException',
      'No.',
      /The identity needs secretsmanager:GetSecretValue\.\n$/,
    ],
    [
      'of a secret that is about to be deleted how to restore it',
      'InvalidRequestException',
      'You can’t perform this operation on the secret because it was marked for deletion.',
      /: aws secretsmanager restore-secret --secret-id the-secret --region us-east-1\n$/,
    ],
    [
      'of a secret without a current version where to look',
      'ResourceNotFoundException',
      "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT",
      /has no current version \(AWSCURRENT\)/,
    ],
    [
      'of a secret that is gone',
      'ResourceNotFoundException',
      "Secrets Manager can't find the specified secret.",
      /somebody may have deleted it/,
    ],
    [
      'of too many calls to wait',
      'ThrottlingException',
      'Rate exceeded',
      /too many calls \(ThrottlingException\)\. Try again in a minute\.\n$/,
    ],
  ])('tells %s', async (_, name, message, expected) => {
    world.aws.answers.set('GetSecretValue', () => ({ status: 400, body: { __type: name, message } }))
    expect(await world.run('keys', ['list'])).toEqual(told(expected))
  })

  it('says what the probe function died of', async () => {
    world.aws.answers.set('Invoke', () => ({
      body: { errorMessage: 'No probes: the keys cannot be read.' },
      headers: { 'x-amz-function-error': 'Unhandled' },
    }))
    expect(await world.run('probe')).toEqual(
      told(/^The probe function failed: No probes: the keys cannot be read\.\n$/),
    )
  })

  it('says that the table cannot be used, and where it is', async () => {
    const env = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' }
    expect(await world.run('set', [], { env })).toEqual(
      told(
        /^The state table at backstop in us-east-1 cannot be used: reading the state failed: ECONNREFUSED\.\n$/,
      ),
    )
  })
})
