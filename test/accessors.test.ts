import { expect, test } from 'vitest'
import { sourceFiles } from './support/source-files.ts'

/** What is made for each request. */
const PER_REQUEST = /^lambdas\/(?:core|sse|wires|http|engine\/request)\//
/** Deeper than the members of a class. */
const ACCESSOR = /^ {4,}(?:get|set) \w+\(/m
/** `object.name = () => …` */
const ASSIGNED = /^ +[\w.]+\.\w+ = (?:async )?(?:function\b|\([^)]*\) =>|\w+ =>)/m
/** Made once for each instance. */
const ONCE = 'lambdas/engine/request/upstream/tunnel-agent.ts'

test('nothing that is made for each request has accessors of its own, or functions assigned to it', () => {
  // V8 allocates these functions among what is old ("pretenure"), so that all they can see is garbage that the usual
  // collections leave: https://github.com/v8/v8/blob/main/src/parsing/parser.h
  const files = sourceFiles('lambdas').filter(({ path }) => PER_REQUEST.test(path))
  expect(files.length).toBeGreaterThan(300)
  const found = files.filter(({ code }) => ACCESSOR.test(code) || ASSIGNED.test(code)).map(({ path }) => path)
  expect(found, 'Write a function into the literal instead: `count: () => …`.').toEqual([ONCE])
})
