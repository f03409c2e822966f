const MAX_LENGTH = 2_048
const CUT = '...'

/** Printable ASCII, anything else percent-encoded. */
function encode(text: string): string {
  return text.replaceAll(/[^\x20-\x7E]/gu, character => {
    const code = character.codePointAt(0) ?? 0
    // A lone surrogate has no UTF-8 form, and encodeURIComponent throws on it.
    return code >= 0xd8_00 && code <= 0xdf_ff ? '%EF%BF%BD' : encodeURIComponent(character)
  })
}

/** One header value as the protocol allows it, at most 2,048 characters. */
export function headerValue(text: string): string {
  const whole = encode(text)
  // Half an escape would not decode.
  return whole.length <= MAX_LENGTH ? whole : whole.slice(0, MAX_LENGTH).replace(/%[\dA-F]?$/, '')
}

/** Hops joined by the separator; where they are too many, cut between two hops, and the cut is marked. */
export function headerList(hops: readonly string[], separator: string): string {
  const encoded = hops.map(encode)
  const whole = encoded.join(separator)
  if (whole.length <= MAX_LENGTH) return whole
  let joined = ''
  for (const hop of encoded) {
    const next = joined + hop + separator
    if (next.length + CUT.length > MAX_LENGTH) break
    joined = next
  }
  return joined + CUT
}
