import { readdir, readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { posix } from 'node:path'

const ROOT = new URL('../../..', import.meta.url)
const BROWSER = 'infra/page/browser'
const ENTRY = `${BROWSER}/main.ts`
const MODULES = '/local/page/modules/'
const STYLES = '/local/page/styles/'

/** A file of the page: its text and its media type. */
export type PageFile = { type: string; text: string }

const STATIC = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/local/page/icon.svg': ['icon.svg', 'image/svg+xml'],
} as const

const IMPORT = /\bfrom\s*'(\.[^']+)'/g

/** Browsers read no types, and what Node says of its own function is nothing for whoever runs a gateway. */
function withoutTypes(source: string): string {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}

/** The entry and every module that it imports, by path; only these are ever served. */
async function readModules(): Promise<Map<string, PageFile>> {
  const files = new Map<string, PageFile>()
  const waiting = [ENTRY]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(MODULES + path)) continue
    const text = withoutTypes(await readFile(new URL(path, ROOT), 'utf8'))
    files.set(MODULES + path, { type: 'text/javascript; charset=utf-8', text })
    for (const [, target = ''] of text.matchAll(IMPORT)) waiting.push(posix.join(posix.dirname(path), target))
  }
  return files
}

async function readFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const files = await readModules()
  for (const [path, [name, type]] of Object.entries(STATIC))
    files.set(path, { type, text: await readFile(new URL(`${BROWSER}/${name}`, ROOT), 'utf8') })
  for (const name of await readdir(new URL(`${BROWSER}/styles`, ROOT))) {
    const text = await readFile(new URL(`${BROWSER}/styles/${name}`, ROOT), 'utf8')
    files.set(STYLES + name, { type: 'text/css; charset=utf-8', text })
  }
  return files
}

/** Finds the page's files by their path; they are read once, when the first is asked for. */
export function createPageFiles(): (path: string) => Promise<PageFile | null> {
  let files: ReturnType<typeof readFiles> | null = null
  return async path => {
    files ??= readFiles()
    return (await files).get(path) ?? null
  }
}

/** Whether a path belongs to the page's files, before they are read. */
export const isPageFile = (path: string): boolean =>
  Object.hasOwn(STATIC, path) || path.startsWith(MODULES) || path.startsWith(STYLES)
