import { copyFileSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { runCommand, type Outcome } from '../run-command.ts'

const FORTY = new URL('../../fixtures/import/forty-models.yaml', import.meta.url)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backstop-import-'))
  copyFileSync(FORTY, join(folder, 'config.yaml'))
})

const run = (...args: string[]): Promise<Outcome> =>
  runCommand(
    'infra/operate/commands/import.ts',
    args,
    { OPENAI_API_KEY: 'sk-set-already-1' },
    { cwd: folder },
  )
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

test('forty models are written and listed, without a key', async () => {
  const first = await run('litellm', 'config.yaml')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  const config = parseGatewayConfig(JSON.parse(read('gateway.json')))
  expect(Object.keys(config.models)).toHaveLength(41)
  expect(first.stdout).toMatch(/^gateway.json: 41 models, \d+ endpoints, \d+ providers/)
  expect(first.stdout).toMatch(/OPENAI_API_KEY +set$/m)
  expect(first.stdout).toMatch(/PARTNER_API_KEY +known here, not set; its value is in the file$/m)
  expect(first.stdout).toMatch(/transcripts: models for audio transcription are not served/)
  for (const secret of ['sk-partner', 'sk-master', 's3cr3t', 'sk-set-already'])
    expect(first.stdout + read('gateway.json')).not.toContain(secret)
})

test('--env adds the keys that are known, and changes none', async () => {
  writeFileSync(
    join(folder, '.env'),
    '# ours\nGROQ_API_KEY_1=gsk_one\nGROQ_1_API_KEY=gsk_other\nGROQ_API_KEY_2=gsk_two\n',
  )
  const { code, stdout } = await run('config.yaml', '--env', '.env', '--out', 'written.json')
  expect(code).toBe(0)
  const lines = read('.env').split('\n')
  expect(lines.slice(0, 4)).toEqual([
    '# ours',
    'GROQ_API_KEY_1=gsk_one',
    'GROQ_1_API_KEY=gsk_other',
    'GROQ_API_KEY_2=gsk_two',
  ])
  expect(lines).toContain('GROQ_2_API_KEY=gsk_two')
  expect(lines).toContain('PARTNER_API_KEY=sk-partner-3fk29dk20fk3')
  expect(lines).toContain('BACKSTOP_CLIENT_KEYS=sk-master-91hd83hd72')
  expect(statSync(join(folder, '.env')).mode & 0o077).toBe(0)
  expect(stdout).toContain('GROQ_1_API_KEY is there with another value, and was left as it is.')
  expect(stdout).not.toMatch(/gsk_|sk-/)
})

test('--out - is the configuration alone, and --out a file that is there is refused', async () => {
  const { code, stdout, stderr } = await run('litellm', 'config.yaml', '--out', '-')
  expect(code).toBe(0)
  expect(parseGatewayConfig(JSON.parse(stdout))).toBeDefined()
  expect(stderr).toMatch(/No counterpart:/)
  const second = await run('config.yaml', '--out', 'config.yaml')
  expect(await run('config.yaml', '--out', 'nowhere/x.json')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Cannot write nowhere\/x.json: there is no folder nowhere/),
  })
  expect(second).toMatchObject({ code: 1, stderr: expect.stringMatching(/config.yaml exists.*--force/) })
})
