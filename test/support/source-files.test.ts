import { expect, it, test } from 'vitest'
import { importsOf, sourceFiles, sourceOf, type Import } from './source-files.ts'

const importsIn = (text: string): Import[] => importsOf(sourceOf('lambdas/core/file.ts', text))
const targetsIn = (text: string): (string | null)[] => importsIn(text).map(({ target }) => target)

test.each([
  ['a static import', "import { a } from '../engine/a.ts'"],
  ['an import over several lines', "import {\n  a,\n  b,\n} from '../engine/a.ts'"],
  ['a namespace', "import * as a from '../engine/a.ts'"],
  ['a default import', "import a from '../engine/a.ts'"],
  ['a default import with names', "import a, { b } from '../engine/a.ts'"],
  ['an import for its effects', "import '../engine/a.ts'"],
  ['a type', "import type { A } from '../engine/a.ts'"],
  ['a re-export', "export { a } from '../engine/a.ts'"],
  ['a re-export of types', "export type { A } from '../engine/a.ts'"],
  ['a re-export of all', "export * from '../engine/a.ts'"],
  ['a dynamic import', "const a = await import('../engine/a.ts')"],
  ['the type of a module', "type A = import('../engine/a.ts').A"],
  ['what is required', "const a = require('../engine/a.ts')"],
  ['an import behind a wildcard in a text', "const accept = '*/*'\nimport { a } from '../engine/a.ts'"],
])('%s is found', (_, text) => {
  expect(targetsIn(text)).toEqual(['lambdas/engine/a.ts'])
})

it('a computed import is found, although nobody can tell where it leads', () => {
  expect(targetsIn('const a = await import(name)')).toEqual([null])
  expect(targetsIn('const a = await import(`../${name}.ts`)')).toEqual([null])
})

it('a library is found by its name', () => {
  expect(importsIn("import * as z from 'zod/mini'")).toEqual([
    { target: 'zod/mini', isLibrary: true, typeOnly: false },
  ])
})

it('the configuration is found under its alias', () => {
  expect(targetsIn("import config from '#gateway-config'")).toEqual(['infra/gateway.config.ts'])
})

it('types are told from values', () => {
  const typeOnly = (text: string): boolean[] => importsIn(text).map(found => found.typeOnly)
  expect(typeOnly("import type { A } from './a.ts'")).toEqual([true])
  expect(typeOnly("import { type A, type B } from './a.ts'")).toEqual([true])
  expect(typeOnly("import { type A, b } from './a.ts'")).toEqual([false])
  expect(typeOnly("import { A } from './a.ts'")).toEqual([false])
})

it('comments import nothing', () => {
  expect(targetsIn("// import { a } from './a.ts'\n/** Like `import('./b.ts')`. */\n")).toEqual([])
})

it('no import statement of this project escapes', () => {
  const missed = [...sourceFiles('lambdas'), ...sourceFiles('infra')].filter(file => {
    const statements = file.code.match(/^(?:import\b|\} from '|export .* from ')/gm) ?? []
    const multiline = file.code.match(/^import (?:type )?\{$/gm) ?? []
    return importsOf(file).length < statements.length - multiline.length
  })
  expect(missed.map(({ path }) => path)).toEqual([])
})
