import type { Explanation } from '../../page-contract.ts'
import { callPage } from '../server/api.ts'
import { find, make } from '../dom.ts'

/** Shows why a request went where it went, as `npm run why` tells it. */
export function createWhyDialog(fleetWords: () => string): (id: string) => void {
  const dialog = find('why-dialog', HTMLDialogElement)
  const close = (): HTMLButtonElement =>
    make(
      'button',
      { type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => dialog.close() },
      '×',
    )

  function fill(...content: readonly Node[]): void {
    dialog.replaceChildren(
      make('div', { class: 'dialog-head' }, make('h2', { id: 'why-name' }, 'Why it went there'), close()),
      ...content,
    )
  }

  async function explain(id: string): Promise<void> {
    const response = await callPage(`why?${new URLSearchParams({ id })}`)
    const { lines } = (await response.json()) as Explanation
    const text = lines.flatMap(spans => [
      ...spans.map(({ style, text }) =>
        style === null ? text : make('span', { class: `paint-${style}` }, text),
      ),
      '\n',
    ])
    fill(
      make('pre', { class: 'code', tabindex: 0, 'aria-label': 'Explanation' }, ...text),
      make(
        'p',
        { class: 'note' },
        'The same in a terminal: ',
        make('code', {}, `npm run why -- ${id} ${fleetWords()}`.trim()),
      ),
    )
  }

  return id => {
    fill(make('p', {}, 'Looking it up…'))
    dialog.showModal()
    explain(id).catch((error: unknown) =>
      fill(
        make('p', { class: 'bad', role: 'alert' }, error instanceof Error ? error.message : String(error)),
      ),
    )
  }
}
