import { getNodeValue, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'
import { checkNesting } from './check-nesting.ts'

/** Where in a text a position is, as editors count. */
function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}

/** `InvalidCommentToken` → `invalid comment token`. */
const wordsOf = ({ error }: ParseError): string =>
  printParseErrorCode(error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()

/** The first field that an object has twice: of two, readers of JSON take one in silence. */
function findDuplicate(node: Node): Node | null {
  const seen = new Set<unknown>()
  for (const child of node.children ?? []) {
    const [name, value = child] = child.type === 'property' ? (child.children ?? []) : []
    if (name && seen.has(name.value)) return name
    if (name) seen.add(name.value)
    const found = findDuplicate(value)
    if (found) return found
  }
  return null
}

/** JSON as people write it, with comments and trailing commas. Throws what is wrong, and where. */
export function parseJsonConfig(text: string): unknown {
  const errors: ParseError[] = []
  const tree = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) throw new Error(`${wordsOf(first)} at ${placeOf(text, first.offset)}`)
  if (!tree) throw new Error('the file is empty')
  const twice = findDuplicate(tree)
  if (twice)
    throw new Error(`${JSON.stringify(twice.value)} stands twice, again at ${placeOf(text, twice.offset)}`)
  const value: unknown = getNodeValue(tree)
  checkNesting(value)
  return value
}
