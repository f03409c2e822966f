#!/usr/bin/env node
// The command of the packed package. JavaScript, and old at that: an old Node must be able to say that it is too old.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const OLDEST = 24

/** The Node that is installed beside the package; null where it was left out. */
function installedNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'))
    const name = process.platform === 'win32' ? 'node.exe' : 'node'
    return [join(folder, 'bin', name)].find(existsSync) ?? null
  } catch {
    return null
  }
}

/** Runs this file again with another Node, and ends as that one ends. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  // Ctrl-C reaches both; what is sent to this process alone is passed on.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('error', error => fail(`${node} cannot be run: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

if (Number(process.versions.node.split('.')[0]) >= OLDEST) {
  const { runCommand } = await import('./run-command.js')
  await runCommand(process.argv)
} else {
  const node = installedNode()
  if (node === null)
    fail(
      `backstop needs Node ${OLDEST} or newer, and this is Node ${process.versions.node}. ` +
        'Install a newer one from https://nodejs.org, or let npm bring one: npm install --global node@24',
    )
  else runWith(node)
}
