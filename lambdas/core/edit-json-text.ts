/** Top-level members of a JSON object to write anew, by name; null = leave out. */
export type JsonEdits = ReadonlyMap<string, string | null>

type Member = { name: string; begin: number; valueBegin: number; end: number }

const SPACE = /[\s]/

/** Where the value that begins here ends: behind its last character, outside of strings and brackets. */
function valueEnd(text: string, begin: number): number {
  let depth = 0
  for (let place = begin; place < text.length; place += 1) {
    const character = text[place]
    if (character === '"') {
      for (place += 1; text[place] !== '"'; place += 1) if (text[place] === '\\') place += 1
      if (depth === 0) return place + 1
    } else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      if (depth === 0) return place
      depth -= 1
      if (depth === 0) return place + 1
    } else if (depth === 0 && (character === ',' || SPACE.test(character ?? ''))) return place
  }
  return text.length
}

const skipSpace = (text: string, from: number): number => {
  let place = from
  while (SPACE.test(text[place] ?? '')) place += 1
  return place
}

/** The members of the object in a text that is known to be one. */
function membersOf(text: string): Member[] {
  const members: Member[] = []
  let place = skipSpace(text, text.indexOf('{') + 1)
  while (text[place] === '"') {
    const nameEnd = valueEnd(text, place)
    const valueBegin = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const end = valueEnd(text, valueBegin)
    members.push({ name: String(JSON.parse(text.slice(place, nameEnd))), begin: place, valueBegin, end })
    place = skipSpace(text, end)
    if (text[place] !== ',') break
    place = skipSpace(text, place + 1)
  }
  return members
}

/**
 * The text of a JSON object with some members written anew and every other byte as it was, so that numbers, spaces and
 * orders stay as their writer chose them.
 * @param text a JSON object that parses
 */
export function editJsonText(text: string, edits: JsonEdits): string {
  const members = membersOf(text)
  const remains = members.filter(({ name }) => edits.get(name) !== null)
  const written = ({ name, begin, valueBegin, end }: Member): string => {
    const edit = edits.get(name)
    return typeof edit === 'string' ? text.slice(begin, valueBegin) + edit : text.slice(begin, end)
  }
  if (remains.length < members.length) return `{${remains.map(written).join(',')}}`
  let edited = ''
  let from = 0
  for (const member of members) {
    edited += text.slice(from, member.begin) + written(member)
    from = member.end
  }
  return edited + text.slice(from)
}

/** The text of one member's value; null where there is none. */
export function memberText(text: string, name: string): string | null {
  const member = membersOf(text).find(found => found.name === name)
  return member ? text.slice(member.valueBegin, member.end) : null
}

/** The same text with a member that it does not have yet. */
export const withMember = (text: string, name: string, value: string): string =>
  text.replace(/^\s*\{/, `{${JSON.stringify(name)}:${value},`)
