import { expect, test } from 'vitest'
import { actOnEndpoint } from '../../infra/page/http/act-on-endpoint.ts'

test.each(['probe', 'release', 'quarantine'] as const)(
  'without the table, %s says so in a sentence',
  async action => {
    const source = {
      tools: () => Promise.reject(new Error('it does not answer')),
      probe: () => Promise.reject(new Error('nothing may be probed')),
    }
    await expect(actOnEndpoint(source, action, 'limited/one')).rejects.toThrow(
      'The state table cannot be read: it does not answer. Nothing was changed; try again when the table answers.',
    )
  },
)
