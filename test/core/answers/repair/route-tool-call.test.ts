import { expect, test } from 'vitest'
import { readToolCall } from '../../../../lambdas/core/answers/repair/read-tool-call.ts'
import type { JsonObject } from '../../../../lambdas/core/json.ts'
import { createToolCallRouter } from '../../../../lambdas/core/answers/repair/route-tool-call.ts'

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

const whole = (id: string | null, name: string, text: string, index: number): JsonObject => ({
  ...(id === null ? {} : { id }),
  index,
  function: { name, arguments: text },
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
  [
    'the same function on one index is called again behind complete arguments',
    [whole(null, 'f', '{"a":1}', 0), whole(null, 'f', '{"a":2}', 0), whole('', 'f', '{"a":2}', 0)],
    [0, 1, 2],
  ],
  [
    'a name that every fragment repeats begins nothing while the arguments go on',
    [whole(null, 'f', '{"a"', 0), whole(null, 'f', ':1', 0), whole(null, 'f', '}', 0), head(null, 'f', 0)],
    [0, 0, 0, 0],
  ],
  [
    'what follows a name behind complete arguments belongs to another call',
    [whole(null, 'f', '{}', 0), head(null, 'f', 0), more(0), head(null, 'f', 0), more(0)],
    [0, 0, 1, 1, 2],
  ],
  [
    'a name in pieces is one name',
    [
      { index: 0, id: 'a', function: { name: 'get_' } },
      { index: 0, function: { name: 'x' } },
    ],
    [0, 0],
  ],
  [
    'one id on two indexes is two calls',
    [head('a', 'f', 0), more(0), head('a', 'g', 1), more(1), more(1, 'a'), more(0, 'a')],
    [0, 0, 1, 1, 1, 0],
  ],
  [
    'one id on one index is two calls where the second is whole and another',
    [whole('a', 'f', '{"a":1}', 0), whole('a', 'g', '{"b":1}', 0)],
    [0, 1],
  ],
])('%s', (_, deltas, positions) => {
  const { route } = createToolCallRouter()
  const feed = (delta: JsonObject): number => {
    const { position } = route(readToolCall(delta))
    return position
  }
  expect(deltas.map(feed)).toEqual(positions)
})
