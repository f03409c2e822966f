import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DeleteSecretCommand, RestoreSecretCommand } from '@aws-sdk/client-secrets-manager'
import { CreateStackCommand, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tellSkipped } from '../support/tell-skipped.ts'
import { missingForLambdaRic } from '../runtime/lambda-ric.ts'
import { REGION } from './aws-clients.ts'
import { STACK } from './deploy-stack.ts'
import { FLEET, openEmulatedAccount, type EmulatedAccount } from './emulated-account.ts'
import { GAPS } from './moto-gaps.ts'
import { missingForMoto } from './start-moto.ts'

const missing = tellSkipped(
  'the commands about a stack in an emulated account',
  missingForMoto() ?? missingForLambdaRic(),
)

const PROVIDER_KEY = 'sk-of-house-0123456789'
/** What a command prints for people to paste: each call of another command, to the end of its line or sentence. */
const CALLS = /npm run [a-z]+(?: --)?[^\n;)]*/g

describe.skipIf(missing !== null)(
  `the commands about a stack in an emulated account${missing ? ` (${missing})` : ''}`,
  () => {
    let account: EmulatedAccount

    beforeAll(async () => {
      account = await openEmulatedAccount()
      account.secrets.add(PROVIDER_KEY)
    }, 300_000)
    afterAll(() => account?.[Symbol.asyncDispose]())

    /** Runs a command that is to succeed; what it tells to call is about the same stack. */
    async function good(name: string, args: readonly string[] = [], stdin?: string): Promise<string> {
      const { code, stdout, stderr } = await account.run(name, args, stdin === undefined ? {} : { stdin })
      expect([code, stderr]).toEqual([0, ''])
      for (const [call] of stdout.matchAll(CALLS)) expect(call).toContain(FLEET.join(' '))
      return stdout
    }

    /** Calls what a command has printed. */
    async function follow(text: string, name: string): Promise<string> {
      const [, words = ''] = new RegExp(`npm run ${name} -- ([^\\n]*) ${FLEET.join(' ')}`).exec(text) ?? []
      expect(words).not.toBe('')
      return good(name, words.split(' '))
    }

    const completed = (lines: readonly Record<string, unknown>[]): number =>
      lines.filter(({ event }) => event === 'request-completed').length

    it('keys: a provider gets one, told by its fingerprint alone', async () => {
      expect(await good('keys', ['list'])).toMatch(/^client +default +[0-9a-f]{8}$/m)
      expect(await good('keys', ['set', 'house'], `${PROVIDER_KEY}\n`)).toBe(
        `house: 1 key saved in the secret of '${STACK}'.\nRunning instances use the change within 30 seconds.\n`,
      )
      expect(await good('keys', ['list'])).toMatch(/^provider +house +[0-9a-f]{8}$/m)
    })

    it('status: tells which models answer, and what to call for a key that is missing', async () => {
      const text = await good('status')
      expect(text).toContain('The model answers.')
      expect(text).toMatch(/→ +1 house\/well/)
      expect(text).toContain(`no key: npm run keys -- set attic ${FLEET.join(' ')}`)
      expect(await good('status', ['--explain', 'chat'])).toContain('1. tier 1  house/well')
    })

    it('ask and why: the provider gets the key of the secret, and the log tells the way', async () => {
      const text = await good('ask', ['Are you there?'])
      expect(text).toMatch(/^word0.*\n\nchat {2}house\/well ok 200/s)
      expect(account.upstream.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${PROVIDER_KEY}`)
      await expect.poll(async () => completed(await account.server.shipLog())).toBe(1)
      expect(await follow(text, 'why')).toContain('Answered by house/well')
      expect(await good('why')).toContain('Answered by house/well')
      expect(await good('why', ['--failed'])).toBe(
        `No failed request in the log of '${STACK}' within the last 24 hours.\n`,
      )
      expect(await good('ask', ['Are you there?', '--dry-run'])).toContain('house/well')
    })

    it('usage: counts what was asked', async () => {
      await expect.poll(() => good('usage', ['--by', 'endpoint'])).toMatch(/house\/well +1 +0/)
    })

    it('quarantine and release: what is printed leads back', async () => {
      const text = await good('quarantine', ['house/well', '--reason', 'two words'])
      expect(text).toContain('house/well: healthy → quarantined by hand')
      expect(await good('probe')).toContain(`npm run probe -- house/well ${FLEET.join(' ')}`)
      expect(await follow(text, 'release')).toBe('house/well: quarantined → healthy\n')
    })

    it('probe: the deployed function asks the endpoint', async () => {
      const asked = account.upstream.calls('well')
      expect(await good('probe', ['house/well'])).toMatch(/^house\/well {2}ok {2}\d+ m?s\n$/)
      expect(account.upstream.calls('well')).toBe(asked + 1)
    })

    it('set: overrides, lists, and goes back', async () => {
      expect(await good('set', ['retry_max_attempts=2'])).toContain('retry_max_attempts = 2  instead of 4')
      expect(await good('set')).toContain('retry_max_attempts = 2  override of 4')
      expect(await good('set', ['retry_max_attempts='])).toBe('No overrides are in force.\n')
    })

    it('keys: a client’s key is shown once, opens the gateway, and its undo takes it back', async () => {
      const text = await good('keys', ['client', 'add', 'reports'])
      const [key = ''] = text.split('\n')
      expect(key).toMatch(/^backstop-[\w-]{43}$/)
      account.secrets.add(key)
      const again = await account.run('keys', ['client', 'add', 'reports'])
      expect([again.code, again.stderr]).toEqual([
        1,
        expect.stringContaining("already has a client 'reports'"),
      ])
      expect(await follow(text, 'keys')).toContain(`client reports: removed from the secret of '${STACK}'.`)
      expect(await good('keys', ['remove', 'house'])).toContain('house: removed')
      expect(await good('keys', ['list'])).not.toMatch(/house|reports/)
    })

    it('status --watch and page: run until they are stopped', async () => {
      for (const [name, args, first] of [
        ['status', ['--watch'], /model/],
        ['page', ['--port', '0'], /^The page of Backstop-test: http:\/\/127\.0\.0\.1:\d+\/#/],
      ] as const) {
        const child = account.clone.start(name, [...args, ...FLEET], account.env)
        const exit = once(child, 'exit')
        const [line] = (await once(createInterface({ input: child.stdout ?? expect.fail() }), 'line')) as [
          string,
        ]
        expect(line).toMatch(first)
        const link = /http\S+/.exec(line)?.[0]
        if (link !== undefined) expect(await (await fetch(link)).text()).toContain('<html')
        // As Ctrl-C does: the whole group of processes.
        process.kill(-(child.pid ?? expect.fail()), 'SIGINT')
        await exit
      }
    })

    it('a stack that is another’s, or in another region, is told with those that were meant', async () => {
      const Resources = { Topic: { Type: 'AWS::SNS::Topic' } }
      const TemplateBody = JSON.stringify({ Resources, Outputs: { Name: { Value: 'x' } } })
      await account.clients.cloudFormation.send(new CreateStackCommand({ StackName: 'Blog', TemplateBody }))
      const meant = `Stacks of Backstop in ${REGION}: ${STACK}.`
      for (const [fleet, expected] of [
        [['--stack', 'Blog', '--region', REGION], 'is not one of Backstop'],
        [['--stack', 'Backstop-tset', '--region', REGION], `Did you mean "${STACK}"? ${meant}`],
        [
          ['--stack', STACK],
          `in us-east-1, in the account of these credentials. No stack of Backstop is in us-east-1.`,
        ],
      ] as const) {
        const { code, stdout, stderr } = await account.run('set', [], { fleet })
        expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(expected)])
      }
    })

    it('a secret that is about to be deleted is told as such, with what restores it', async () => {
      const { secrets } = account.clients
      const SecretId = account.outputs['SecretName']
      await secrets.send(new DeleteSecretCommand({ SecretId }))
      const deleted = await account.run('keys', ['list'])
      expect(deleted.stderr).toContain('aws secretsmanager restore-secret --secret-id')
      await secrets.send(new RestoreSecretCommand({ SecretId }))
      expect((await account.run('keys', ['list'])).code).toBe(0)
    })

    it.each(Object.keys(GAPS))('moto still leaves out %s', async Type => {
      const { cloudFormation } = account.clients
      const StackName = `gap-${Type.replaceAll('::', '-')}`
      const TemplateBody = JSON.stringify({ Resources: { Gap: { Type, Properties: {} } } })
      await cloudFormation.send(new CreateStackCommand({ StackName, TemplateBody }))
      const made = await cloudFormation.send(new DescribeStackResourcesCommand({ StackName }))
      expect(made.StackResources?.flatMap(({ PhysicalResourceId }) => PhysicalResourceId ?? [])).toEqual([])
    })
  },
)
