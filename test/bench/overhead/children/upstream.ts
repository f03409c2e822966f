import { createServer, type ServerResponse } from 'node:http'
import { listenOnLoopback } from '../../../support/upstreams/listen-on-loopback.ts'
import { answersOf, type UpstreamAnswers } from '../answers.ts'

const answers = new Map<string, UpstreamAnswers>()

/** Each event in a write and a turn of its own, as tokens come. */
function stream(response: ServerResponse, events: readonly Buffer[], at = 0): void {
  const event = events[at]
  if (event === undefined || response.destroyed) return void response.end()
  response.write(event)
  setImmediate(stream, response, events, at + 1)
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.once('end', () => {
    const body = Buffer.concat(chunks).toString()
    const path = request.url ?? ''
    const count = Number(/"model":\s*"\D*(\d+)"/.exec(body)?.[1] ?? 1)
    const key = `${path} ${count}`
    const answer = answers.get(key) ?? answersOf(path, count)
    answers.set(key, answer)
    if (/"stream":\s*true/.test(body)) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return stream(response, answer.events)
    }
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': answer.whole.length })
      .end(answer.whole)
  })
})
// Between two turns of a proxy may lie more than the usual five seconds, and a reset would be an error of the proxy.
server.keepAliveTimeout = 300_000
process.send?.({ ready: `http://127.0.0.1:${await listenOnLoopback(server)}` })
