import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMAND_ROWS } from '../../infra/terminal/command-table.ts'
import { PAGES, readFromRoot, readPage } from './page.ts'

const MOST_LINES = 200

const exists = (path: string): boolean => existsSync(new URL(`../../${path}`, import.meta.url))

const isPage = (path: string): boolean => path.endsWith('.md')

const withoutFences = (text: string): string => text.replaceAll(/^```.*\n[^]*?^```$/gm, '')

/** As GitHub names a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (path: string): string[] =>
  [...withoutFences(readPage(path).text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

/** The links of a page into the project, as paths from the root. */
const linksOf = (path: string): { target: string; anchor: string }[] =>
  [...withoutFences(readPage(path).text).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].map(
    ([, target = '', anchor = '']) => ({
      target: target === '' ? path : normalize(join(dirname(path), target)),
      anchor,
    }),
  )

test('the front page is read in a few minutes, and leads to every other page', () => {
  expect(readPage('README.md').text.split('\n').length).toBeLessThanOrEqual(MOST_LINES)
  const linked = new Set(linksOf('README.md').map(({ target }) => target))
  expect(PAGES.filter(path => path !== 'README.md' && !linked.has(path))).toEqual([])
})

describe.each(PAGES)('%s', path => {
  test('leads to files and headings that exist', () => {
    const broken = linksOf(path).filter(
      ({ target, anchor }) =>
        !exists(target) || (anchor !== '' && isPage(target) && !anchorsOf(target).includes(anchor)),
    )
    expect(broken).toEqual([])
  })

  test('names files and folders that exist', () => {
    const named = readPage(path).text.match(/(?<![\w./])(?:infra|lambdas|test)\/[\w./-]*/g) ?? []
    expect(named.map(name => name.replace(/[./]+$/, '')).filter(name => !exists(name))).toEqual([])
  })

  test('names scripts of npm that exist, with options that they take', () => {
    const { scripts } = JSON.parse(readFromRoot('package.json')) as { scripts: Record<string, string> }
    const known = new Set(Object.keys(scripts))
    const calls = [
      ...readPage(path).text.matchAll(
        /\bnpm (?:run (?:--silent )?)?(?!run\b|ci\b|pack\b|install\b)([a-z][a-z-]*)([^\n`#|]*)/g,
      ),
    ]
    const wrong = calls.filter(([, name = '', rest = '']) => {
      if (!known.has(name)) return true
      const options = [...rest.matchAll(/(?<=\s)--([a-z][\w-]*)/g)].map(([, option = '']) => option)
      // npm itself takes what stands before the two dashes.
      if (options.length > 0 && !/ -- /.test(rest)) return true
      const row = COMMAND_ROWS.find(candidate => candidate.name === name)
      if (row) return options.some(option => !Object.hasOwn(row.options, option))
      const [, file] = /^node (\S+)$/.exec(scripts[name] ?? '') ?? []
      const source = file === undefined ? '' : readFromRoot(file)
      return options.some(option => !source.includes(`${option}: {`))
    })
    expect(wrong.map(([call]) => call)).toEqual([])
  })
})
