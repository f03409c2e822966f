import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { systemClock, type Clock } from '../../lambdas/platform/clock.ts'
import { describeError } from '../terminal/command-error.ts'
import { actOnEndpoint, isPageAction } from './http/act-on-endpoint.ts'
import { explainLine } from './http/explain-line.ts'
import { pageRefusal } from './http/page-guard.ts'
import { createPageFiles, isPageFile } from './http/page-files.ts'
import { OUTCOMES_TEXT, readFilter } from './http/read-filter.ts'
import { beginEvents, readObject, sendJson, sendPage, sendProblem, sendToPage } from './http/send-page.ts'
import { readTrial, tryModel } from './http/try-model.ts'
import { createLivePage } from './live/live-page.ts'
import type { NoteRequest, PageSource } from './page-source.ts'

/** The page, ready to be mounted on a server that listens on loopback. */
export type Page = {
  /** Serves a request of the page; false where it is none. */
  route(request: IncomingMessage, response: ServerResponse): boolean
  note: NoteRequest
  /** Where it is, below the server's URL: with the token, where it has one, in the part that no server ever sees. */
  path: string
  close(): void
}

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> | void

const MOST_ROWS = 100

/** `guarded`: it acts with rights that not everybody on this machine has, so that it takes a token. */
export function createPage(
  source: PageSource,
  { guarded, clock = systemClock }: { guarded: boolean; clock?: Clock },
): Page {
  const token = guarded ? randomBytes(24).toString('base64url') : null
  const live = createLivePage(source, clock)
  const fileOf = createPageFiles()

  async function serveFile(response: ServerResponse, path: string): Promise<void> {
    const file = await fileOf(path)
    if (file) sendPage(response, 200, file.type, file.text)
    else sendProblem(response, 404, 'The page has no such file.')
  }

  const routes: Readonly<Record<string, Handler>> = {
    'GET /local/page/events': (_, response) => {
      beginEvents(response)
      live.open(response)
    },
    'GET /local/page/requests': (_, response, { searchParams }) => {
      const narrowed = readFilter(searchParams)
      if (!narrowed) return sendProblem(response, 400, OUTCOMES_TEXT)
      const { filter, before } = narrowed
      sendJson(response, 200, { rows: live.requests.find(filter, MOST_ROWS, before) })
    },
    'GET /local/page/why': async (_, response, { searchParams }) => {
      const line = await source.find(searchParams.get('id') ?? '')
      if (line) sendJson(response, 200, explainLine(line, clock.now()))
      else sendProblem(response, 404, 'This request is no longer on record.')
    },
    'GET /local/page/endpoint': (_, response, { searchParams }) => {
      const row = live.endpoints()?.data.find(({ endpoint }) => endpoint === searchParams.get('name'))
      if (row) sendJson(response, 200, row)
      else sendProblem(response, 404, 'The gateway has no such endpoint.')
    },
    'POST /local/page/act': async (request, response) => {
      const { action, endpoint } = (await readObject(request)) ?? {}
      if (!isPageAction(action) || typeof endpoint !== 'string')
        return sendProblem(response, 400, 'Send {"action": "probe", "endpoint": "provider/model"}.')
      const report = await actOnEndpoint(source, action, endpoint)
      if (!report) return sendProblem(response, 404, 'The gateway has no such endpoint.')
      // Who looks the endpoint up next shall find it as the report says.
      await live.refresh()
      sendJson(response, 200, report)
    },
    'POST /local/page/try': async (request, response) => {
      const trial = readTrial(await readObject(request))
      if (trial) await tryModel(source, trial, response)
      else sendProblem(response, 400, 'Send a model and a text of at most 500 kB.')
    },
  }

  async function serve(
    handler: Handler,
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
  ): Promise<void> {
    const refusal = pageRefusal(request, token)
    if (refusal) return sendProblem(response, refusal.status, refusal.message)
    try {
      await handler(request, response, url)
    } catch (error) {
      if (response.headersSent) response.destroy()
      else sendProblem(response, 502, describeError(error))
    }
  }

  return {
    route(request, response) {
      // Nearly all that is posted is for the gateway itself.
      if (request.method === 'POST' && !request.url?.startsWith('/local')) return false
      const url = URL.parse(request.url ?? '', 'http://page')
      if (!url) return false
      // The files hold nothing of anybody: who may see the fleet is asked when they ask for it.
      if (request.method === 'GET' && isPageFile(url.pathname)) {
        void serveFile(response, url.pathname).catch(error =>
          sendProblem(response, 500, describeError(error)),
        )
        return true
      }
      if (request.method === 'GET' && /^\/local\/page\/?$/.test(url.pathname)) {
        sendToPage(response)
        return true
      }
      const handler = routes[`${request.method} ${url.pathname}`]
      if (!handler) return false
      void serve(handler, request, response, url)
      return true
    },
    note: live.note,
    path: token === null ? '/' : `/#${token}`,
    close: live.close,
  }
}
