import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { LOCAL_TABLE, openLocalTable, type LocalTable } from '../../../infra/local/table/dynamo.ts'
import { createDynamoClients } from '../../../lambdas/store/dynamo-client.ts'
import { createDynamoStore } from '../../../lambdas/store/dynamo-store.ts'
import { closedPort } from '../../support/upstreams/closed-port.ts'

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function open(variables: Record<string, string | undefined> = {}): Promise<LocalTable> {
  const table = await openLocalTable(variables)
  closing.push(() => table.close())
  return table
}

function storeOf({ access, table }: LocalTable) {
  const clients = createDynamoClients(access)
  closing.push(() => clients.destroy())
  return createDynamoStore({ clients, table, now: () => 0 })
}

describe('the local table', () => {
  it('is embedded on loopback where nobody names another one', async () => {
    const table = await open({ AWS_ENDPOINT_URL_DYNAMODB: '' })
    expect(table).toMatchObject({ embedded: true, table: LOCAL_TABLE })
    expect(table.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await storeOf(table).readState()).toEqual({ items: [], garbage: 0 })
  })

  it('is one memory for all who name the same endpoint', async () => {
    const host = await open()
    const guests = [host, await open({ AWS_ENDPOINT_URL_DYNAMODB: host.endpoint })]
    expect(guests.map(({ embedded }) => embedded)).toEqual([true, false])
    const [one, other] = guests.map(storeOf)
    await one?.addCounts('breaker#a#1', { f1: 1 }, [], 0)
    expect(await other?.addCounts('breaker#a#1', { f1: 1 }, [], 0)).toEqual({ f1: 2 })
  })

  it('outlives a guest that leaves', async () => {
    const host = await open()
    const guest = await openLocalTable({ AWS_ENDPOINT_URL_DYNAMODB: host.endpoint })
    await guest.close()
    expect(await storeOf(host).readState()).toEqual({ items: [], garbage: 0 })
  })

  it('outlives a request that breaks off in the middle', async () => {
    const host = await open()
    const socket = connect(Number(new URL(host.endpoint).port), '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nhost: local\r\ncontent-length: 100\r\n\r\n{"half":')
    await once(socket, 'connect')
    socket.resetAndDestroy()
    expect(await storeOf(host).readState()).toEqual({ items: [], garbage: 0 })
  })

  it('fails to open where its endpoint is not there', async () => {
    const AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${await closedPort()}`
    await expect(openLocalTable({ AWS_ENDPOINT_URL_DYNAMODB })).rejects.toThrow('ECONNREFUSED')
  })
})

describe('access to it', () => {
  it('needs neither credentials nor a region', async () => {
    const { access } = await open()
    expect(access).toMatchObject({ region: 'us-east-1', credentials: { accessKeyId: 'local' } })
  })

  it('takes those that are set', async () => {
    const { access } = await open({
      AWS_DEFAULT_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'token',
    })
    expect(access).toMatchObject({
      region: 'eu-central-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' },
    })
  })
})
