import { html, type Html } from './html.ts'

/** A name that breaks behind its slashes where it has to break. */
export const breakName = (name: string): Html =>
  html`${name.split('/').map((part, index) => (index === 0 ? html`${part}` : html`/<wbr />${part}`))}`
