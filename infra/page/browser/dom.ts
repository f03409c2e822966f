type Child = Node | string | null
type Properties = Readonly<Record<string, string | number | boolean | null | EventListener>>

/**
 * Makes an element. Children that are texts stay texts: nothing that came from elsewhere can become markup. Properties
 * that begin with `on` are listeners; `false` and null leave an attribute out.
 */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value !== false && value !== null)
      element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.filter(child => child !== null))
  return element
}

/** The element of the page with this id. Throws where the page has another one, or none. */
export function find<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const element = document.getElementById(id)
  if (element instanceof type) return element
  throw new Error(`The page has no ${type.name} #${id}.`)
}

/** Shows an element, or hides it from everybody. */
export function show(element: HTMLElement, isShown: boolean): void {
  element.hidden = !isShown
}

/** Writes only what differs: untouched text is neither laid out nor announced again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

/** Text for screen readers alone. */
export const hidden = (text: string): HTMLElement => make('span', { class: 'hidden' }, text)
