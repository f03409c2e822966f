import * as z from 'zod/mini'

/** Headers that the gateway or its client library writes itself. */
const RESERVED =
  /^(?:proxy-.*|host|connection|content-.*|transfer-encoding|te|trailer|upgrade|accept-encoding|x-backstop-.*)$/i
/** Headers whose name says that they prove who calls: what does not belong in a file. */
const PROOF =
  /(?:^|[-_])(?:api[-_]?key|key|token|secret|password|credentials?|auth|authorization|cookie|jwt)$/i
/** https://www.rfc-editor.org/rfc/rfc9110#name-tokens */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/
const VISIBLE = /^[\u0020-\u007e]*$/
/** Fields of the body that say what is asked, not how. */
const ASKED = ['model', 'messages', 'input', 'stream']

const HEADERS = 'expected an object of header values by name'
const isHeaderName = (name: string): boolean => TOKEN.test(name) && !RESERVED.test(name) && !PROOF.test(name)

const NOT_OURS = 'expected a header that the gateway does not write itself; keys do not belong in this file'

export const addedHeaders = z.optional(
  z
    .record(z.string(), z.string(HEADERS).check(z.regex(VISIBLE, 'expected printable ASCII')), HEADERS)
    .check(({ value, issues }) => {
      for (const name of Object.keys(value).filter(found => !isHeaderName(found)))
        issues.push({ code: 'custom', path: [name], message: NOT_OURS, input: value })
    }),
)

export const addedBody = z.optional(
  z
    .record(z.string(), z.json(), 'expected an object of fields')
    .check(
      z.refine(
        body => !ASKED.some(name => Object.hasOwn(body, name)),
        `expected fields other than ${ASKED.join(', ')}, which are the client's`,
      ),
    ),
)
