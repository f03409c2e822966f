import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export type Line = AsyncDisposable & {
  url: string
  /** Ends every connection, and takes none. */
  cut(): Promise<void>
  mend(): Promise<void>
}

/** A line to a port of this machine that a test can cut. */
export async function openLine(port: string): Promise<Line> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    const other = connect(Number(port), '127.0.0.1')
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.once('close', () => {
        sockets.delete(one)
        two.destroy()
      })
      one.pipe(two)
    }
  })
  const listen = (at: number): Promise<void> =>
    new Promise(resolve => server.listen(at, '127.0.0.1', resolve))
  await listen(0)
  const { port: own } = server.address() as AddressInfo
  async function cut(): Promise<void> {
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return { url: `http://127.0.0.1:${own}/`, cut, mend: () => listen(own), [Symbol.asyncDispose]: cut }
}
