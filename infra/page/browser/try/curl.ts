import type { PageFacts } from '../../page-contract.ts'

export type Asked = { model: string; text: string; stream: boolean; kind: 'chat' | 'embeddings' }

/** Inside single quotes a shell changes nothing but the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

function bodyOf({ model, text, stream, kind }: Asked): object {
  if (kind === 'embeddings') return { model, input: text }
  const messages = [{ role: 'user', content: text }]
  return stream ? { model, stream, messages } : { model, messages }
}

/** The same request for a terminal. A key is never written: the shell fills it in. */
export function curlOf(
  asked: Asked,
  { baseUrl, curlOptions }: Pick<PageFacts, 'baseUrl' | 'curlOptions'>,
): string {
  const path = asked.kind === 'embeddings' ? 'embeddings' : 'chat/completions'
  return [
    `curl -i${asked.stream ? 'N' : ''} ${baseUrl}/${path} -H 'content-type: application/json'`,
    ...curlOptions,
    `-d ${quoted(JSON.stringify(bodyOf(asked)))}`,
  ].join(' \\\n  ')
}
