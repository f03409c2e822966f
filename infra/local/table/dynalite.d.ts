declare module 'dynalite' {
  import type { Server } from 'node:http'

  /** A DynamoDB in this process; items live in memory. */
  export default function dynalite(options?: { createTableMs?: number }): Server
}
