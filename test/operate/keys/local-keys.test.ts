import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { editDotEnv } from '../../../infra/operate/keys/edit-dot-env.ts'
import { keyFingerprint } from '../../../lambdas/keys/key-ring.ts'
import { runCommand } from '../run-command.ts'

const BEFORE = `# my keys
GROQ_API_KEY=old # from the console

export OPENAI_API_KEY="sk-one"
GROQ_API_KEYS=other
`

describe('a .env file', () => {
  test.each<[string, string, string | null, string]>([
    ['a new value in its place', 'GROQ_API_KEY', 'new', BEFORE.replace('=old', '=new')],
    ['one in quotes', 'OPENAI_API_KEY', 'a,b', BEFORE.replace('"sk-one"', 'a,b')],
    ['a new variable at the end', 'XAI_API_KEY', 'x', `${BEFORE}XAI_API_KEY=x\n`],
    ['no variable', 'OPENAI_API_KEY', null, BEFORE.replace('export OPENAI_API_KEY="sk-one"\n', '')],
    ['what a shell would expand', 'XAI_API_KEY', "a#b'$c", `${BEFORE}XAI_API_KEY="a#b'$c"\n`],
  ])('takes %s, and keeps the rest', (_, name, value, expected) => {
    expect(editDotEnv(BEFORE, name, value)).toBe(expected)
  })

  it('loses every value of a variable that is removed', () => {
    expect(editDotEnv('A_API_KEY=1\nB=2\nA_API_KEY=3\n', 'A_API_KEY', null)).toBe('B=2\n')
    expect(editDotEnv('A_API_KEY=1\nB=2\nA_API_KEY=3\n', 'A_API_KEY', '4')).toBe('B=2\nA_API_KEY=4\n')
  })

  it('begins with the first variable', () => {
    expect(editDotEnv('', 'A_API_KEY', '1')).toBe('A_API_KEY=1\n')
  })

  it('is left alone where a value over several lines looks like an assignment', () => {
    const text = 'NOTE="first\nGROQ_API_KEY=inside\nlast"\n'
    expect(() => editDotEnv(text, 'GROQ_API_KEY', 'new')).toThrow(/^\.env was not changed: GROQ_API_KEY/)
  })
})

describe('npm run keys', () => {
  const folder = (): string => mkdtempSync(join(tmpdir(), 'backstop-keys-'))
  const run = (cwd: string, args: readonly string[], stdin = '', env = {}) =>
    runCommand('infra/operate/commands/keys.ts', args, env, { stdin, cwd })

  it('sets, lists and removes the keys of a provider, for the owner of the file alone', async () => {
    const cwd = folder()
    const file = join(cwd, '.env')
    writeFileSync(file, '# mine\n', { mode: 0o644 })
    const set = await run(cwd, ['set', 'llama.cpp'], 'one\ntwo\n')
    expect(set).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('2 keys saved in .env'),
    })
    expect(readFileSync(file, 'utf8')).toBe('# mine\nLLAMA_CPP_API_KEY=one,two\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { stdout } = await run(cwd, ['list'])
    expect(stdout).toMatch(`llama.cpp  ${keyFingerprint('one')} ${keyFingerprint('two')}`)
    expect((await run(cwd, ['remove', 'llama.cpp'])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('# mine\n')
    expect((await run(cwd, ['remove', 'llama.cpp'])).stderr).toBe("No key of 'llama.cpp' in .env.\n")
  })

  it('adds client keys, which are removed by their fingerprint', async () => {
    const cwd = folder()
    const [one = ''] = (await run(cwd, ['client', 'add', 'app'])).stdout.split('\n')
    const [other = ''] = (await run(cwd, ['client', 'add', 'app'])).stdout.split('\n')
    const file = join(cwd, '.env')
    expect(readFileSync(file, 'utf8')).toBe(`BACKSTOP_CLIENT_KEYS=${one},${other}\n`)
    const { stdout } = await run(cwd, ['remove', 'client', keyFingerprint(one)])
    expect(stdout).not.toContain(one)
    expect(readFileSync(file, 'utf8')).toBe(`BACKSTOP_CLIENT_KEYS=${other}\n`)
    expect((await run(cwd, ['remove', 'client', 'app'])).code).toBe(1)
  })

  it('says what wins over it, and what it cannot hold', async () => {
    const cwd = folder()
    const { stderr } = await run(cwd, ['set', 'groq'], 'new', { GROQ_API_KEY: 'hidden-one' })
    expect(stderr).toBe('GROQ_API_KEY is also set in the environment, which takes precedence over .env.\n')
    const refused = await run(cwd, ['set', 'groq'], 'hidden,key')
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Nothing was changed: a key in \.env cannot contain a comma/),
    })
    expect(refused.stderr).not.toContain('hidden')
  })
})
