import { readFileSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'

const ROOT = new URL('../..', import.meta.url).pathname

/** One file of the project: its path from the root, its text, and that without comments on lines of their own. */
export type SourceFile = { path: string; text: string; code: string }

/** Where an import leads: a path from the root, the name of a library, or null where it is computed. */
export type Import = { target: string | null; isLibrary: boolean; typeOnly: boolean }

const STATIC =
  /^[ \t]*(?:import|export)\s+(type\s+)?(\*(?:\s+as\s+\w+)?|(?:[\w$]+\s*,\s*)?(?:\{[^}]*\}|\*\s+as\s+\w+)|[\w$]+)\s*from\s*['"]([^'"]+)['"]/gm
const SIDE_EFFECT = /^[ \t]*import\s*['"]([^'"]+)['"]/gm
const DYNAMIC = /\b(?:import|require)\s*\(\s*(?:(['"`])([^'"`$]+)\1\s*\))?/g

const withoutComments = (text: string): string =>
  text.replaceAll(/^[ \t]*\/\*[\s\S]*?\*\//gm, '').replaceAll(/^[ \t]*\/\/.*$/gm, '')

/** A file that holds this text. */
export const sourceOf = (path: string, text: string): SourceFile => ({
  path,
  text,
  code: withoutComments(text),
})

/** Every TypeScript file under a folder of the project. */
export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => posix.join(folder, name))
    .toSorted()
    .map(path => sourceOf(path, readFileSync(join(ROOT, path), 'utf8')))
}

/** `{ type A, type B }`: nothing is left of it at run time. */
const holdsTypesOnly = (clause: string): boolean =>
  clause.startsWith('{') &&
  clause
    .slice(1, -1)
    .split(',')
    .filter(name => name.trim() !== '')
    .every(name => /^\s*type\s/.test(name))

function importTo(file: string, specifier: string, typeOnly: boolean): Import {
  if (specifier === '#gateway-config') {
    return { target: 'infra/gateway.config.ts', isLibrary: false, typeOnly }
  }
  const isLibrary = !specifier.startsWith('.')
  const target = isLibrary ? specifier : posix.join(posix.dirname(file), specifier)
  return { target, isLibrary, typeOnly }
}

/** Every import and re-export of a file, static or dynamic. */
export function importsOf({ path, code }: SourceFile): Import[] {
  const found: Import[] = []
  for (const [, type, clause = '', specifier = ''] of code.matchAll(STATIC)) {
    found.push(importTo(path, specifier, type !== undefined || holdsTypesOnly(clause)))
  }
  for (const [, specifier = ''] of code.matchAll(SIDE_EFFECT)) found.push(importTo(path, specifier, false))
  for (const [, , specifier] of code.matchAll(DYNAMIC)) {
    found.push(
      specifier === undefined
        ? { target: null, isLibrary: false, typeOnly: false }
        : importTo(path, specifier, false),
    )
  }
  return found
}
