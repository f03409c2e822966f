import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDotEnv } from '../../infra/terminal/read-dot-env.ts'

test.each<[string, string | Buffer]>([
  ['a byte order mark', '\uFEFFGROQ_API_KEY=gsk_1'],
  ['UTF-16, as PowerShell writes it', Buffer.from('\uFEFFGROQ_API_KEY=gsk_1\r\n', 'utf16le')],
  ["Windows' line ends", 'OTHER=1\r\nGROQ_API_KEY=gsk_1\r\n'],
  ['export before it', 'export GROQ_API_KEY=gsk_1'],
  ['spaces around the sign', 'GROQ_API_KEY = gsk_1  '],
  ['quotes', 'GROQ_API_KEY="gsk_1" # mine'],
])('a .env file may have %s', (_, content) => {
  const folder = mkdtempSync(join(tmpdir(), 'backstop-dot-env-'))
  writeFileSync(join(folder, '.env'), content)
  expect(readDotEnv(folder, { SET: 'x' })).toMatchObject({ GROQ_API_KEY: 'gsk_1', SET: 'x' })
})
