/** Hundredths of a token, so that sums stay exact. */
const LETTER = 25
const DIGIT = 35
const SIGN = 40

/** Up to this character, exclusive: hundredths of a token each. Between what older and newer tokenisers make of it. */
const SCRIPTS: readonly (readonly [before: number, weight: number])[] = [
  [0x00c0, 60], // signs of Latin-1
  [0x0250, 50], // Latin with accents
  [0x0370, 60], // phonetic, combining
  [0x0530, 45], // Greek, Cyrillic
  [0x0590, 60], // Armenian
  [0x0780, 50], // Hebrew, Arabic
  [0x0900, 100], // rarer scripts of that family
  [0x0e80, 70], // Indic, Thai
  [0x1e00, 100], // scripts that few tokenisers have seen
  [0x2000, 50], // Latin with two accents (Vietnamese), old Greek
  [0x3040, 70], // punctuation, arrows, mathematics
  [0x3400, 80], // Kana
  [0xa000, 80], // Han
  [0xac00, 100], // Yi, Vai and others
  [0xd800, 80], // Hangul
  [0xe000, 100], // halves of a pair: emoji, rare Han
  [0xff00, 100],
  [0x10000, 80], // full-width forms
]

function asciiWeight(code: number): number {
  if (code >= 0x30 && code <= 0x39) return DIGIT
  const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
  return isLetter || code <= 0x20 ? LETTER : SIGN
}

const ASCII_WEIGHTS = Uint8Array.from({ length: 0x80 }, (_, code) => asciiWeight(code))

const weightOf = (code: number): number =>
  ASCII_WEIGHTS[code] ?? SCRIPTS.find(([before]) => code < before)?.[1] ?? 100

/** Tokens of a text, not rounded: some four characters each in Latin script, little more than one in CJK. */
export function estimateTextTokens(text: string): number {
  let hundredths = 0
  for (let place = 0; place < text.length; place++) hundredths += weightOf(text.charCodeAt(place))
  return hundredths / 100
}
