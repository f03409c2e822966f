import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { hasTableOfItsOwn, keepHeapLean } from './lean-heap.ts'

// Before any other module: what is kept there is loaded without stripping types again, which takes memory for ever.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/backstop', import.meta.url)))
// A gateway over a shared table is more than somebody's own: it may take what it needs.
if (hasTableOfItsOwn(process.cwd(), process.env)) keepHeapLean()
await import('./start-command.ts')
