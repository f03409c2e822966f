import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../..', import.meta.url)

/** The scripts that a clone runs with npm, but for those of its tests: the file of each, by its name. */
function readCommands() {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'))
  const commands = new Map()
  for (const [name, script] of Object.entries(scripts)) {
    const [, file] = /^node (infra\/\S+\.ts)$/.exec(script) ?? []
    if (file) commands.set(name, new URL(file, ROOT).href)
  }
  return commands
}

const usageOf = commands => `Usage: backstop COMMAND [options]

  ${[...commands.keys()].join(', ')}

backstop COMMAND --help prints the options of one.
`

/** What messages say in a clone is said as it is typed here, where npm knows no scripts. */
const asTyped = source =>
  source
    .replaceAll(/npm run (?:--silent )?(\$\{\w+\}|[\w-]+)(?: --(?= ))?/g, 'backstop $1')
    .replaceAll(/npm start(?: --(?= ))?/g, 'backstop start')
    .replaceAll(/(\$\{callOf\(\w+\)\}) --(?= )/g, '$1')
    .replaceAll('` -- ${', '` ${')

/** What Node says of its own function is nothing for whoever runs a gateway. */
function withoutTypes(source) {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}

/** The package holds its own source, and Node strips the types of no file below node_modules. */
function stripTypesBelowRoot() {
  registerHooks({
    load(url, context, nextLoad) {
      const path =
        url.startsWith(ROOT.href) && url.endsWith('.ts') ? url.slice(ROOT.href.length) : 'node_modules/'
      if (path.includes('node_modules/')) return nextLoad(url, context)
      const source = withoutTypes(asTyped(readFileSync(fileURLToPath(url), 'utf8')))
      return { format: 'module', source, shortCircuit: true }
    },
  })
}

/** Runs the command that the arguments name, as its script in a clone would. */
export async function runCommand(argv) {
  const commands = readCommands()
  const [name = 'help'] = argv.splice(2, 1)
  const file = commands.get(name)
  if (file !== undefined) {
    stripTypesBelowRoot()
    await import(file)
  } else if (['help', '--help', '-h'].includes(name)) process.stdout.write(usageOf(commands))
  else {
    process.stderr.write(`There is no command '${name}'.\n\n${usageOf(commands)}`)
    process.exitCode = 1
  }
}
