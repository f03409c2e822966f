import { expect, test } from 'vitest'
import type { JsonObject } from '../../../lambdas/core/json.ts'
import { createToolCallRouter } from '../../../lambdas/core/answers/route-tool-call.ts'

const head = (id: string | null, name: string, index?: number): JsonObject => ({
  ...(index === undefined ? {} : { index }),
  ...(id === null ? {} : { id }),
  function: { name, arguments: '' },
})
const more = (index?: number, id?: string): JsonObject => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { arguments: '{}' },
})

test.each<[string, readonly JsonObject[], readonly number[]]>([
  [
    'indexes are believed',
    [head('a', 'f', 0), more(0), head('b', 'g', 1), more(1), more(0)],
    [0, 0, 1, 1, 0],
  ],
  ['a known id beats the index', [head('a', 'f', 0), head('b', 'g', 1), more(0, 'b')], [0, 1, 1]],
  [
    'no id and no index continue the current call',
    [head('a', 'f'), more(), head('b', 'g'), more()],
    [0, 0, 1, 1],
  ],
  [
    'a second head on the first index begins a call',
    [head('a', 'f', 0), more(0), head('b', 'g', 0), more(0)],
    [0, 0, 1, 1],
  ],
  [
    'so does one whose fragments then come on an index of their own',
    [head('a', 'f', 0), head('b', 'g', 0), more(1), more(1)],
    [0, 1, 1, 1],
  ],
  ['the same function may be called twice on one index', [head('a', 'f', 0), head('b', 'f', 0)], [0, 1]],
  ['empty ids tell nothing: names begin calls', [head('', 'f'), head('', 'f'), head('', 'g')], [0, 1, 2]],
  [
    'another name on the same index begins a call, id or not',
    [head(null, 'f', 0), head(null, 'g', 0)],
    [0, 1],
  ],
  ['a name repeated on the same index does not', [head(null, 'f', 0), head(null, 'f', 0)], [0, 0]],
  [
    'an id that comes late belongs to its call',
    [head(null, 'f', 0), more(0, 'a'), head('b', 'g', 1), more(undefined, 'a')],
    [0, 0, 1, 0],
  ],
  ['a fresh id on every fragment begins nothing', [head('a', 'f', 0), more(0, 'x'), more(0, 'y')], [0, 0, 0]],
  [
    'positions count from 0, whatever the host counts from',
    [head('a', 'f', 1), more(1), head('b', 'g', 2)],
    [0, 0, 1],
  ],
  ['a fragment before any head begins a call', [more(0), more(0)], [0, 0]],
  [
    'custom tools have names too',
    [
      { index: 0, id: 'a', custom: { name: 'f' } },
      { index: 0, id: 'b', custom: { name: 'g' } },
    ],
    [0, 1],
  ],
])('%s', (_, deltas, positions) => {
  expect(deltas.map(createToolCallRouter())).toEqual(positions)
})
