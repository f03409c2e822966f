import type { Json } from '../../lambdas/core/json.ts'

const WIDTH = 100

type Parts = { open: string; close: string; items: readonly { name: string; value: Json }[] }

function partsOf(value: Json): Parts | null {
  if (Array.isArray(value))
    return { open: '[', close: ']', items: value.map((item: Json) => ({ name: '', value: item })) }
  if (typeof value !== 'object' || value === null) return null
  const fields = Object.entries(value).flatMap(([name, item]) =>
    item === undefined ? [] : [{ name: `${JSON.stringify(name)}: `, value: item as Json }],
  )
  return { open: '{', close: '}', items: fields }
}

function onOneLine(value: Json): string {
  const parts = partsOf(value)
  if (parts === null) return JSON.stringify(value)
  const inner = parts.items.map(item => item.name + onOneLine(item.value)).join(', ')
  return inner !== '' && parts.open === '{' ? `{ ${inner} }` : parts.open + inner + parts.close
}

/** JSON on as few lines as people read well: what fits on one line is on one. */
export function formatJson(value: Json, indent = ''): string {
  const line = onOneLine(value)
  const parts = partsOf(value)
  if (parts === null || parts.items.length === 0 || indent.length + line.length <= WIDTH) return line
  const inner = `${indent}  `
  const lines = parts.items.map(item => inner + item.name + formatJson(item.value, inner))
  return `${parts.open}\n${lines.join(',\n')}\n${indent}${parts.close}`
}
