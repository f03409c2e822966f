/** What a host wants another way, without wanting another answer. */
export type WantedForm =
  /** Message content as one text, not as a list of parts. */
  | 'joined_texts'
  /** No text that says nothing. */
  | 'no_empty_texts'

const FORMS: readonly (readonly [WantedForm, RegExp])[] = [
  [
    'joined_texts',
    /invalid type: sequence, expected a string|content[`'"]? (?:must|should|needs to) be (?:a |of type )?(?:valid )?string|content\b.{0,40}expected (?:a |type )?string|content\b.{0,60}input should be a valid string/i,
  ],
  [
    'no_empty_texts',
    /text content blocks must be non-?empty|must have non-?empty content|contents?[.\w]*parts must not be empty|\b(?:text|content)\b[\w .`'"[\]]{0,40}(?:must not|cannot|can't|may not) be (?:blank|empty|an empty string)|content\b.{0,30}(?:is|are) (?:blank|empty)|(?:text|content) field .{0,40}is (?:blank|empty)/i,
  ],
]

/** What was there, in a refusal that says it, is no list: another form of the texts would not help. */
const NO_LIST =
  /(?:\b(?:got|received|found|given|instead of|(?:but|it) (?:was|is)|(?:invalid|wrong|unexpected|incorrect) type|(?:input|actual|value)[_ ]?(?:value|type)?)\b|\bis)[\s:=('"`<]{1,4}(?:(?:an?|of|type|the|value|class)[\s:='"`<]{1,4}){0,3}(?:null|none(?:type)?|nil|undefined|nan|unit|missing|empty|int(?:eger)?|number|float|decimal|bool(?:ean)?|true|false|dict|map|(?:json )?object)\b/i
/** It takes lists too, so that what it misses is something else. */
const TAKES_LISTS =
  /\bstring,? (?:or|and|nor) (?:an? )?(?:\w+ )?(?:list|array|sequence)\b|\b(?:list|array|sequence)(?: of [\w ]{1,30})? (?:or|nor) (?:an? )?string\b|\bvalid (?:list|array)\b/i

/** The form of a history that a refusal asks for; null = it asks for none that is known. */
export function wantedForm(text: string): WantedForm | null {
  const form = FORMS.find(([, says]) => says.test(text))?.[0] ?? null
  return form === 'joined_texts' && (NO_LIST.test(text) || TAKES_LISTS.test(text)) ? null : form
}

const NAME = /[`'"]?([a-z][a-z0-9]*(?:_[a-z0-9]+)*)[`'"]?/.source
const OTHER_NAME: readonly RegExp[] = [
  new RegExp(
    `${NAME}(?: parameter)? (?:is |was |has been )?(?:currently )?(?:not supported|unsupported|deprecated|unknown|not permitted|not allowed)\\b[^.]{0,80}[.,;:]?\\s(?:please )?(?:use|try|set|send|specify) ${NAME}(?: instead)?`,
    'i',
  ),
  new RegExp(`\\b(?:use|did you mean) ${NAME} instead of ${NAME}`, 'i'),
  new RegExp(
    `(?:unknown|unrecognized|unsupported) (?:parameter|field|argument|name):? ${NAME}[^a-z]{1,4}did you mean ${NAME}`,
    'i',
  ),
]

/** A refusal that names another field for the same: from which to which. */
export function renaming(text: string): { from: string; to: string } | null {
  for (const [index, says] of OTHER_NAME.entries()) {
    const [, first, second] = says.exec(text) ?? []
    if (first === undefined || second === undefined || first === second) continue
    return index === 1 ? { from: second, to: first } : { from: first, to: second }
  }
  return null
}
