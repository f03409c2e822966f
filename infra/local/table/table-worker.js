// JavaScript, because a thread that strips types needs as much memory as the table.
import dynalite from 'dynalite'
import { parentPort } from 'node:worker_threads'

const server = dynalite({ createTableMs: 0 })
// dynalite throws what a request that breaks off reports, and nobody could catch it there.
server.on('request', request => {
  request.removeAllListeners('error')
  request.on('error', () => {})
})
server.listen(0, '127.0.0.1', () => parentPort?.postMessage(server.address().port))
