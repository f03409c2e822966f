import type { Context } from 'aws-lambda'
import type { Caller } from '../../core/caller.ts'
import type { Invocation } from '../../engine/request/run.ts'
import type { Route } from '../routes.ts'

/** The caller of a route that asks for no key, and of any other until its key is known. */
export const NOBODY: Caller = { name: 'unknown' }

/** What travels beside an event from middleware to middleware. */
export type Exchange = Context & Invocation & { route: Route; caller: Caller }
