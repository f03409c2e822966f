/** The ways in which upstreams repeat what they were sent. Each takes a text and gives how it stands in an answer. */
export type Encoding = (text: string) => string

const everyCharacter = (text: string, form: (code: number) => string): string =>
  Array.from({ length: text.length }, (_, at) => form(text.charCodeAt(at))).join('')

const inGroups = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
const bytesIn = (text: string, form: (byte: number) => string, between: string): string =>
  Array.from(Buffer.from(text), form).join(between)
const hexByte = (byte: number): string => byte.toString(16).padStart(2, '0')
const hex = (code: number): string => code.toString(16).padStart(4, '0')

export const ENCODINGS: Readonly<Record<string, Encoding>> = {
  'as it is': text => text,
  'in JSON inside JSON': text => inJson(inJson(text)),
  'in a URL': encodeURIComponent,
  'in a form': text => new URLSearchParams({ text }).toString(),
  'twice in a URL': text => encodeURIComponent(encodeURIComponent(text)),
  'in base64': text => `data ${base64(text)} end`,
  'in base64 behind one byte': text => base64(`:${text}`),
  'in base64 behind two bytes, for URLs': text => Buffer.from(`::${text}`).toString('base64url'),
  'in base64 by lines': text => inGroups(base64(text), 20).join('\r\n'),
  'in hexadecimal': text => Buffer.from(text).toString('hex'),
  'in HTML': text => text.replaceAll(/[&<>"'\u0080-\uffff]/g, character => `&#${character.codePointAt(0)};`),
  'in Unicode escapes': text => everyCharacter(text, code => `\\u${hex(code)}`),
  'in HTML without semicolons': text => everyCharacter(text, code => `&#${code}`),
  'in octal escapes': text => bytesIn(text, byte => `\\${byte.toString(8).padStart(3, '0')}`, ''),
  'as bytes between brackets': text => `[${bytesIn(text, String, ' ')}]`,
  'as bytes between commas': text => bytesIn(text, String, ','),
  'as bytes with a sign': text => `{${[...new Int8Array(Buffer.from(text))].join(', ')}}`,
  'as an array of bytes in JSON': text => JSON.stringify({ ...Buffer.from(text) }),
  'as codes of characters': text => `[${everyCharacter(text, code => `${code}, `)}]`,
  'as a list of hexadecimal bytes': text => bytesIn(text, byte => `0x${hexByte(byte)}`, ', '),
  'as hexadecimal bytes between colons': text => bytesIn(text, hexByte, ':'),
  'as hexadecimal bytes between commas': text => bytesIn(text, hexByte, ', '),
  'as code points': text => everyCharacter(text, code => `U+${hex(code).toUpperCase()} `),
  'as bits': text => bytesIn(text, byte => byte.toString(2).padStart(8, '0'), ' '),
  'in colours': text => inGroups(text, 5).join('\x1b[0m\x1b[1;31m'),
  'in colours that lost their escapes': text => inGroups(text, 6).join('[0m[38;5;196m'),
  'as characters': text => JSON.stringify([...text]),
  'as Latin-1': text => Buffer.from(text).toString('latin1'),
  'as Windows-1252': text => new TextDecoder('windows-1252').decode(Buffer.from(text)),
  'split by blanks': text => inGroups(text, 5).join(' '),
  'split by line breaks': text => inGroups(text, 7).join('\n'),
  'in other capitals': text =>
    everyCharacter(text, code => {
      const character = String.fromCharCode(code)
      const upper = character.toUpperCase()
      return character === upper ? character.toLowerCase() : upper
    }),
  'with its ends masked': text => `***${text.slice(3, -3)}***`,
  'cut short': text => `${text.slice(0, Math.ceil(text.length * 0.8))}…`,
}

/** What a reader could still make out: a text without its blanks and marks, in small letters. */
export const solid = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}%&#\\]/gu, '')

const SAMPLE = 'abcdefghijklmnopqrstuvwxyz'

/** How many characters of a `solid` text stand for `length` of those that were encoded, one with another. */
export const worth = (encode: Encoding, length: number): number =>
  Math.max(length, Math.ceil((length * solid(encode(SAMPLE)).length) / SAMPLE.length))

/** Any `length` characters in a row of what was repeated that still stand in a `solid` text; null = none. */
export function standsIn(within: string, repeated: string, length: number): string | null {
  const sought = solid(repeated)
  for (let at = 0; at + length <= sought.length; at += 1) {
    const stretch = sought.slice(at, at + length)
    if (within.includes(stretch)) return stretch
  }
  return null
}
