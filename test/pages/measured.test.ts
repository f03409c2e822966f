import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commentsOf, measuredIn, proseOf } from './measured-text.ts'
import { PAGES, readFromRoot } from './page.ts'

const SOURCES = ['lambdas', 'infra'].flatMap(folder =>
  readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter(path => /\.(?:ts|js)$/.test(path) && !/(?:^|\/)(?:node_modules|dist)\//.test(path))
    .map(path => `${folder}/${path}`),
)

test('no page states a measurement that no benchmark has written', () => {
  const found = PAGES.flatMap(page => measuredIn(proseOf(readFromRoot(page))).map(text => `${page}: ${text}`))
  expect(found).toEqual([])
})

test('no comment states a measurement', () => {
  const found = SOURCES.flatMap(file =>
    commentsOf(readFromRoot(file)).flatMap(comment => measuredIn(comment).map(text => `${file}: ${text}`)),
  )
  expect(found).toEqual([])
})

test.each([
  'It installs some 180 MB.',
  'A start takes 60 ms of CPU.',
  'Measured on one core: 80 MB',
  'Streaming is 3.4 x faster.',
  'The median is 12 ms.',
  'Idle it uses 340 MB.',
])('a measurement is recognised: %s', text => {
  expect(measuredIn(text)).toEqual([text])
})

test.each([
  'A request waits at most 300 ms for the table.',
  'An endpoint that is silent for 10 s is left.',
  'It takes at most 2 s.',
  'Two endpoints have been measured.',
])('what is specified is none: %s', text => {
  expect(measuredIn(text)).toEqual([])
})

test('what a benchmark has written, samples and code are no prose', () => {
  const page =
    'It is <!-- bench bill idle -->some 5 MB<!-- /bench -->.\n\n```sh\nls # some 6 MB\n```\n\n`some 7 MB`'
  expect(measuredIn(proseOf(page))).toEqual([])
})

test('a comment of several lines is one text', () => {
  const source = '/**\n * It takes\n * 60 ms.\n */\nconst a = 1 // some 5 MB\n// It takes\n// 70 ms.\n'
  expect(commentsOf(source).flatMap(measuredIn)).toEqual(['It takes 60 ms.', 'some 5 MB It takes 70 ms.'])
})
