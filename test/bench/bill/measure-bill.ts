import type { Cloud } from '../../runtime/cloud.ts'
import { CLIENT_KEY, openCloud } from '../../runtime/cloud.ts'
import type { LambdaInstance } from '../../runtime/lambda-instance.ts'
import { startSecretsServer } from '../../runtime/secrets-server.ts'
import { percentile } from '../percentile.ts'
import { startCapacityProxy, type Capacity } from './capacity-proxy.ts'
import { measureRequests, peakOf, type RequestFigures } from './measure-requests.ts'
import { startPacedUpstream } from './paced-upstream.ts'

/** Of one probe run that finds everything well. */
export type ProbeFigures = Capacity & { seconds: number; logBytes: number; secretReads: number }

export type BillFigures = {
  /** One event at once, 500 events in five seconds, and the same where one call in ten fails. */
  short: RequestFigures
  long: RequestFigures
  failing: RequestFigures
  probe: ProbeFigures
  /** The most memory of a gateway instance, in megabytes. */
  peakMb: number
  /** From the start of the process until it asks for its first event. */
  initSeconds: number
  /** Reads of the secret by one instance as it starts. */
  secretReads: number
}

const LONG = { events: 500, gapMs: 10 }

async function measureProbe(
  instance: LambdaInstance,
  table: { take(): Capacity },
  secrets: { reads: number },
  runs: number,
): Promise<ProbeFigures> {
  await instance.api.invoke({})
  table.take()
  const logged = instance.output().length
  const seconds: number[] = []
  const secretReads: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const [startedAt, read] = [performance.now(), secrets.reads]
    await instance.api.invoke({})
    secretReads.push(secrets.reads - read)
    seconds.push((performance.now() - startedAt) / 1_000)
    // A look that is younger than a second would be taken for fresh: the schedule calls once a minute.
    await new Promise(resolve => setTimeout(resolve, 1_100))
  }
  const { reads, writes } = table.take()
  return {
    seconds: percentile(seconds, 0.5),
    reads: reads / runs,
    writes: writes / runs,
    logBytes: (instance.output().length - logged) / runs,
    // A busy machine makes a look late now and then, and then keys are read to be on the safe side.
    secretReads: percentile(secretReads, 0.5),
  }
}

async function initOf(cloud: Cloud, variables: Record<string, string>, rounds: number): Promise<number> {
  const seconds: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await using instance = await cloud.start('Gateway', variables)
    await instance.api.ready()
    seconds.push((performance.now() - instance.startedAt) / 1_000)
  }
  return percentile(seconds, 0.5)
}

/** What the bundles of the stack use up, under Lambda's own runtime client. */
export async function measureBill({ short }: { short: boolean }): Promise<BillFigures> {
  await using upstream = await startPacedUpstream()
  await using cloud = await openCloud({
    providers: {
      first: { baseUrl: upstream.url, key: false },
      second: { baseUrl: upstream.url, key: false },
    },
    models: { chat: { tiers: [['first/m'], ['second/m']] } },
  })
  await using table = await startCapacityProxy(cloud.table)
  await using secrets = await startSecretsServer({ defaultClientKey: CLIENT_KEY, clients: {}, providers: {} })
  const variables = {
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
  }
  const initSeconds = await initOf(cloud, variables, short ? 2 : 5)
  await using probeInstance = await cloud.start('Probe', variables)
  const probe = await measureProbe(probeInstance, table, secrets, short ? 2 : 6)
  const readBefore = secrets.reads
  await using stack = new AsyncDisposableStack()
  const instances: LambdaInstance[] = []
  for (let started = 0; started < 3; started += 1)
    instances.push(stack.use(await cloud.start('Gateway', variables)))
  const measured = { instances, table, upstream }
  const first = await measureRequests(measured, { events: 1, gapMs: 0, forMs: short ? 1_000 : 8_000 })
  const secretReads = (secrets.reads - readBefore) / instances.length
  const answer = short ? { events: 100, gapMs: 10 } : LONG
  const forMs = short ? 3_000 : 40_000
  const long = await measureRequests(measured, { ...answer, forMs })
  const failing = await measureRequests(measured, { ...answer, failedOf10: 1, forMs })
  const peakMb = Math.max(...instances.map(peakOf))
  return { short: first, long, failing, probe, peakMb, initSeconds, secretReads }
}
