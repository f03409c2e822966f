import { totalOf, type BillRow } from './idle-bill.ts'
import type { BillFigures } from './measure-bill.ts'
import { GIGABYTE, HOURS, PRICES, SECONDS } from './prices.ts'

const MILLION = 1e6
/** One of so many requests finds no warm instance. */
const REQUESTS_AN_INSTANCE = 1_000
/** How long an instance keeps keys. */
const KEYS_SECONDS = 300
/** As the upstream paces it; a busy machine would make it longer. */
const SECONDS_OF_ANSWER = 5
const GATEWAY_MB = 512
/** So many megabytes come with one core. */
const CORE_MB = 1_769

const count = (value: number, digits = 2): string =>
  value.toLocaleString('en', { maximumFractionDigits: digits })

/** Milliseconds of one core that an answer of so many events takes. */
function cpuFor({ short, long }: BillFigures, events: number): number {
  const anEvent = (long.cpuMs - short.cpuMs) / 499
  return short.cpuMs + Math.max(0, anEvent) * (events - 1)
}

/** Seconds that are billed: the upstream's, or those of our own work where the memory comes with too little of a core. */
export function billedSeconds(
  figures: BillFigures,
  { seconds, events, mb }: { seconds: number; events: number; mb: number },
): number {
  return Math.max(seconds, cpuFor(figures, events) / 1_000 / Math.min(1, mb / CORE_MB))
}

/** A million requests of 500 tokens in five seconds. */
export function requestBill(figures: BillFigures): BillRow[] {
  const { long, failing, initSeconds, secretReads } = figures
  const gigabytes = GATEWAY_MB / 1_024
  const seconds = billedSeconds(figures, { seconds: SECONDS_OF_ANSWER, events: 500, mb: GATEWAY_MB })
  const starts = MILLION / REQUESTS_AN_INSTANCE
  const reads = (MILLION * seconds) / KEYS_SECONDS + starts * secretReads
  const traffic = (bytes: number): number => ((MILLION * bytes) / GIGABYTE) * PRICES.gigabyteToInternet
  return [
    {
      item: 'gateway function',
      arithmetic: `1,000,000 × ${seconds.toFixed(2)} s × ${gigabytes} GB × ${PRICES.gigabyteSecond}`,
      dollars: MILLION * seconds * gigabytes * PRICES.gigabyteSecond,
    },
    {
      item: 'its invocations',
      arithmetic: `1,000,000 × ${PRICES.millionInvocations.toFixed(2)} / 1,000,000`,
      dollars: PRICES.millionInvocations,
    },
    {
      item: 'its starts, which are billed too',
      arithmetic: `one in ${count(REQUESTS_AN_INSTANCE)} requests × ${initSeconds.toFixed(2)} s × ${gigabytes} GB × ${PRICES.gigabyteSecond}`,
      dollars: starts * initSeconds * gigabytes * PRICES.gigabyteSecond,
    },
    {
      item: 'table, reads',
      arithmetic: `${count(long.reads)} units a request × ${PRICES.millionReadUnits}`,
      dollars: long.reads * PRICES.millionReadUnits,
    },
    {
      item: 'table, writes',
      arithmetic: `${count(long.writes)} units a request × ${PRICES.millionWriteUnits}`,
      dollars: long.writes * PRICES.millionWriteUnits,
    },
    {
      item: 'table, writes of failed attempts',
      arithmetic: `${count(Math.max(0, failing.writes - long.writes))} units a request more where ${count(failing.failedAttempts * 100, 0)} of 100 requests meet one`,
      dollars: Math.max(0, failing.writes - long.writes) * PRICES.millionWriteUnits,
    },
    {
      item: 'secret, reads of warm instances',
      arithmetic: `one in ${KEYS_SECONDS} s of an instance, so ${count(reads, 0)} × ${PRICES.secretReads10k} / 10,000`,
      dollars: (reads / 10_000) * PRICES.secretReads10k,
    },
    { item: 'KMS', arithmetic: 'none: table and secret use keys that AWS does not bill', dollars: 0 },
    {
      item: 'logs',
      arithmetic: `${count(long.logBytes / 1_000, 1)} kB a request × ${PRICES.logGigabyte.toFixed(2)} / GB`,
      dollars: ((MILLION * long.logBytes) / GIGABYTE) * PRICES.logGigabyte,
    },
    {
      item: 'traffic to clients on the internet',
      arithmetic: `${count(long.toClient / 1_000, 0)} kB a request × ${PRICES.gigabyteToInternet} / GB`,
      dollars: traffic(long.toClient),
    },
    {
      item: 'traffic to upstreams (prompts of a thousand tokens)',
      arithmetic: `${count(long.toUpstream / 1_000, 1)} kB a request × ${PRICES.gigabyteToInternet} / GB`,
      dollars: traffic(long.toUpstream),
    },
  ]
}

/** What only the function costs, a million requests of this length. */
export const functionDollars = (
  figures: BillFigures,
  answer: { seconds: number; events: number; mb: number },
): number =>
  MILLION * billedSeconds(figures, answer) * (answer.mb / 1_024) * PRICES.gigabyteSecond +
  PRICES.millionInvocations

/** Everything, a million requests of this length: what grows with the answer grows with its events. */
export function millionDollars(
  figures: BillFigures,
  answer: { seconds: number; events: number; mb: number },
): number {
  const { short, long } = figures
  const toClient = short.toClient + ((long.toClient - short.toClient) / 499) * (answer.events - 1)
  const rows = requestBill(figures)
  const ofFunction = new Set(['gateway function', 'its invocations', 'traffic to clients on the internet'])
  const rest = totalOf(rows.filter(({ item }) => !ofFunction.has(item)))
  return (
    rest + functionDollars(figures, answer) + ((MILLION * toClient) / GIGABYTE) * PRICES.gigabyteToInternet
  )
}

/** A container of a quarter of a core and half a gigabyte that is always on, with the load balancer it needs. */
export function containerBill(): BillRow[] {
  const addresses = 3
  return [
    {
      item: 'container',
      arithmetic: `${HOURS} h × (0.25 cores × ${PRICES.fargateCpuHour} + 0.5 GB × ${PRICES.fargateGigabyteHour})`,
      dollars: HOURS * (0.25 * PRICES.fargateCpuHour + 0.5 * PRICES.fargateGigabyteHour),
    },
    {
      item: 'load balancer',
      arithmetic: `${HOURS} h × ${PRICES.loadBalancerHour}, without its capacity units`,
      dollars: HOURS * PRICES.loadBalancerHour,
    },
    {
      item: 'public addresses',
      arithmetic: `${addresses} × ${HOURS} h × ${PRICES.addressHour}`,
      dollars: addresses * HOURS * PRICES.addressHour,
    },
  ]
}

/** How many requests a month cost as much by the function as by the container; beyond, the container is cheaper. */
export function breakEven(
  figures: BillFigures,
  idleDollars: number,
  answer: { seconds: number; events: number; mb: number },
): number {
  return ((totalOf(containerBill()) - idleDollars) / functionDollars(figures, answer)) * MILLION
}

/** How many requests a month the container's quarter of a core can serve, of its own work alone. */
export const containerCapacity = (figures: BillFigures, events: number): number =>
  (SECONDS * 0.25) / (cpuFor(figures, events) / 1_000)
