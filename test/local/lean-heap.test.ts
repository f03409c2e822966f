import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hasTableOfItsOwn } from '../../infra/local/lean-heap.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backstop-heap-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const ENDPOINT = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' }

it('a gateway has a table of its own unless the environment or .env names one', () => {
  expect(hasTableOfItsOwn(folder, {})).toBe(true)
  expect(hasTableOfItsOwn(folder, ENDPOINT)).toBe(false)
  writeFileSync(join(folder, '.env'), 'AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000\n')
  expect(hasTableOfItsOwn(folder, {})).toBe(false)
  expect(hasTableOfItsOwn(folder, { AWS_ENDPOINT_URL_DYNAMODB: '' })).toBe(true)
})

it('a .env that cannot be read is left to the start, which tells of it', () => {
  mkdirSync(join(folder, '.env'))
  expect(hasTableOfItsOwn(folder, {})).toBe(true)
})
