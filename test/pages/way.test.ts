import { expect, test } from 'vitest'
import { readPage } from './page.ts'

const MOST_FILES = 45

const way = [
  ...readPage('lambdas/README.md')
    .section('## The way of a request')
    .matchAll(/^\|.*\]\(([\w/.-]+\.ts)\)/gm),
].map(([, path = '']) => path)

test('a request is followed through few files, none of them twice', () => {
  expect(way.length).toBeGreaterThan(20)
  expect(way.length).toBeLessThanOrEqual(MOST_FILES)
  expect(new Set(way).size).toBe(way.length)
})

test('one file of compose is on the way', () => {
  expect(way.filter(path => path.startsWith('compose/'))).toHaveLength(1)
})
