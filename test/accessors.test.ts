import { expect, test } from 'vitest'
import { sourceFiles } from './support/source-files.ts'

/** What is made for each request. */
const PER_REQUEST = /^lambdas\/(?:core|sse|wires|http|engine\/request)\//
/** Deeper than the members of a class. */
const ACCESSOR = /^ {4,}(?:get|set) \w+\(/m

test('nothing that is made for each request has accessors of its own', () => {
  // V8 allocates the functions of a literal's accessors among what is old, so that all they can see is garbage that the
  // usual collections leave: https://github.com/v8/v8/blob/13.6.233/src/parsing/parser-base.h ("pretenure")
  const files = sourceFiles('lambdas').filter(({ path }) => PER_REQUEST.test(path))
  expect(files.length).toBeGreaterThan(300)
  const found = files.filter(({ code }) => ACCESSOR.test(code)).map(({ path }) => path)
  expect(found, 'Write a function instead: `count(): number`.').toEqual([])
})
