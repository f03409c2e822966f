import * as openai7 from 'openai'
import * as openai6 from 'openai-6'

export type OpenAiSdk = typeof openai7

/** Both majors in use. The surface under test is the same in both, so one type serves. */
export const OPENAI_MAJORS: readonly { major: string; sdk: OpenAiSdk }[] = [
  { major: 'openai 7', sdk: openai7 },
  { major: 'openai 6', sdk: openai6 as unknown as OpenAiSdk },
]

/** A client as an application makes it: nothing set but where to ask and with which key. */
export function connect(sdk: OpenAiSdk, gateway: { url: string }, apiKey = 'any'): openai7.OpenAI {
  return new sdk.OpenAI({ baseURL: `${gateway.url}/v1`, apiKey })
}
