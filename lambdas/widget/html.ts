/** Markup that is safe to show; only `html` makes it. */
export type Html = { readonly markup: string }

type Value = string | number | Html | readonly Html[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, character => ESCAPES[character] ?? '')

function markupOf(value: Value): string {
  if (typeof value === 'string' || typeof value === 'number') return escape(String(value))
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
}

/** Fills a template; every value that is no markup itself is escaped, in text and in quoted attributes alike. */
export function html(template: TemplateStringsArray, ...values: readonly Value[]): Html {
  return {
    markup: template
      .map((part, index) => {
        const value = values[index]
        return value === undefined ? part : part + markupOf(value)
      })
      .join(''),
  }
}

/** No markup at all. */
export const NOTHING: Html = html``
