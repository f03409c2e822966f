import type { Server, ServerResponse } from 'node:http'

/** Long enough for the reset of a client that has gone to arrive, which it does at once on one machine. */
const RESET_MS = 20
const AGAIN_MS = 1_000

/**
 * Answers clients that end their side of the connection after the request, as `nc -N` does, where Node by itself would
 * hang up. Such a client and one that has gone look the same until something is sent: it is sent what every client
 * ignores, which draws a reset from one that has gone.
 */
export function awaitHalfClosed(server: Server): void {
  // Not documented, and the only way: `socketOnEnd` in Node's lib/_http_server.js.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('request', ({ socket, httpVersion }, response) => {
    const onEnd = (): void => {
      const nudgeAgain = (): void => nudge(response, httpVersion)
      nudgeAgain()
      const timers = [setTimeout(nudgeAgain, RESET_MS), setInterval(nudgeAgain, AGAIN_MS)]
      response.once('close', () => timers.forEach(timer => clearTimeout(timer)))
    }
    socket.once('end', onEnd)
    response.once('close', () => socket.off('end', onEnd))
  })
}

function nudge(response: ServerResponse, httpVersion: string): void {
  if (response.writableEnded || response.destroyed) return
  if (!response.headersSent) {
    // HTTP/1.0 knows no interim responses.
    if (httpVersion !== '1.0') response.writeProcessing()
  } else if (String(response.getHeader('content-type')).startsWith('text/event-stream'))
    response.write(':\n\n')
  // Nothing can be put into any other body.
  else response.destroy()
}
