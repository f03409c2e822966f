import middy from '@middy/core'
import type { Context, LambdaFunctionURLEvent } from 'aws-lambda'
import type { Log } from '../core/log-event.ts'
import type { FleetMemory } from '../engine/memory/fleet-memory.ts'
import type { Invocation } from '../engine/request/run.ts'
import type { KeySource } from '../keys/key-source.ts'
import { answerErrors } from './middleware/answer-errors.ts'
import { authenticate, presentedKeys } from './middleware/authenticate.ts'
import { NOBODY, type Exchange } from './middleware/exchange.ts'
import { identify } from './middleware/identify.ts'
import type { Reply } from './replies/reply.ts'
import { createRouter, type RouteTools } from './routes.ts'

export type HandleTools = RouteTools & {
  keys: Pick<KeySource, 'clientOf' | 'ready' | 'advice'>
  memory: Pick<FleetMemory, 'look' | 'describe' | 'snapshot'>
  log: Log
}

export type Handle = (event: LambdaFunctionURLEvent, invocation: Invocation) => Promise<Reply>

/**
 * The edge: event in, reply out; never throws. The route is found once; the client key is checked before the body
 * is decoded; the look at the fleet's memory starts as soon as the caller is known.
 */
export function createHandle(tools: HandleTools): Handle {
  const { keys, memory } = tools
  const routeOf = createRouter(tools)
  const answer = middy<LambdaFunctionURLEvent, Reply, Error, Exchange>({ timeoutEarlyInMillis: 0 })
    .use(identify())
    .use(answerErrors(tools))
    .use(authenticate(keys, () => memory.look()))
    .handler((event, { route, caller, client, startedAt, endsAt, shutdown }) =>
      route.reply({
        event,
        caller,
        invocation: { client, startedAt, endsAt, shutdown, presentedKeys: presentedKeys(event) },
      }),
    )
  // Middy hands the context through untouched; of Lambda's own nothing is used.
  return (event, invocation) => {
    const exchange = { ...invocation, route: routeOf(event), caller: NOBODY }
    return answer(event, exchange as Context & typeof exchange)
  }
}
