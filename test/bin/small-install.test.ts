import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importsOf, sourceFiles } from '../support/source-files.ts'

type Manifest = { scripts: Record<string, string>; dependencies: object; imports: Record<string, string> }
const { scripts, dependencies, imports } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest

const byPath = new Map([...sourceFiles('infra'), ...sourceFiles('lambdas')].map(file => [file.path, file]))

const isInstalled = (library: string): boolean =>
  library.startsWith('node:') ||
  Object.keys(dependencies).some(name => library === name || library.startsWith(`${name}/`))

/** The libraries that a file needs when it runs, and whatever it imports does. */
function librariesOf(entry: string): Map<string, string> {
  const found = new Map<string, string>()
  const seen = new Set<string>()
  const waiting = [entry]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const file = byPath.get(path)
    if (!file || seen.has(path)) continue
    seen.add(path)
    for (const { target, isLibrary, typeOnly } of importsOf(file)) {
      if (target === null || typeOnly) continue
      const own = imports[target]
      if (own !== undefined) waiting.push(own.replace('./', ''))
      else if (isLibrary) found.set(target, path)
      else waiting.push(target)
    }
  }
  return found
}

const entries = Object.values(scripts).flatMap(script => /^node (infra\/\S+\.ts)$/.exec(script)?.[1] ?? [])

it('the start and every command run without what is installed for development', () => {
  expect(entries).toContain('infra/local/start.ts')
  expect(librariesOf('infra/local/start.ts').has('dynalite')).toBe(true)
  const missing = entries.flatMap(entry =>
    [...librariesOf(entry)]
      .filter(([library]) => !isInstalled(library))
      .map(([library, path]) => `${entry} needs ${library} (${path})`),
  )
  expect(missing).toEqual([])
})
