import { beforeAll, expect, test } from 'vitest'
import { runCommand } from '../operate/run-command.ts'
import { importsOf, sourceFiles } from '../support/source-files.ts'
import { readPage } from './page.ts'

const MOST_FILES = 45
/** The deployable, which a local gateway does without. */
const DEPLOYABLE = 'gateway.lambda.ts'
/** Handed in from outside: AWS has another one. */
const LOCAL_KEYS = 'keys/environment-keys.ts'

const way = [
  ...readPage('lambdas/README.md')
    .section('## The way of a request')
    .matchAll(/^\|.*\]\(([\w/.-]+\.ts)\)/gm),
].map(([, path = '']) => path)

let entered: ReadonlySet<string>
beforeAll(async () => {
  const { stdout } = await runCommand('test/pages/files-of-a-request.ts', [])
  entered = new Set(JSON.parse(stdout) as string[])
})

test('a request is followed through few files, none of them twice', () => {
  expect(way.length).toBeGreaterThan(20)
  expect(way.length).toBeLessThanOrEqual(MOST_FILES)
  expect(new Set(way).size).toBe(way.length)
})

test('a request passes each of them', () => {
  expect(way.filter(path => path !== DEPLOYABLE && !entered.has(path))).toEqual([])
})

test('one file of compose is on the way, and no other is entered', () => {
  const inCompose = (path: string): boolean => path.startsWith('compose/')
  expect(way.filter(inCompose)).toEqual([...entered].filter(inCompose))
})

const sources = new Map(sourceFiles('lambdas').map(file => [file.path.replace(/^lambdas\//, ''), file]))
const importsFrom = (path: string): string[] => {
  const source = sources.get(path)
  return (source ? importsOf(source) : []).map(({ target }) => (target ?? '').replace(/^lambdas\//, ''))
}

test('what else runs is a helper: at most four imports away from a file on the way', () => {
  const known = new Set([...way, LOCAL_KEYS])
  for (const _ of [1, 2, 3, 4]) for (const path of [...known].flatMap(importsFrom)) known.add(path)
  expect([...entered].filter(path => !known.has(path))).toEqual([])
})
