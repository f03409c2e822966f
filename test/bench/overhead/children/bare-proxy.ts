import { Agent, createServer, request as send } from 'node:http'
import { listenOnLoopback } from '../../../support/upstreams/listen-on-loopback.ts'

// The least that a proxy in Node does: http in, http out, pipe.
const upstream = String(process.argv[2])
const agent = new Agent({ keepAlive: true })
const server = createServer((request, response) => {
  const { method, headers } = request
  const sent = send(upstream + request.url, { method, headers, agent }, answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  sent.on('error', () => response.destroy())
  request.pipe(sent)
})
process.send?.({ ready: `http://127.0.0.1:${await listenOnLoopback(server)}` })
