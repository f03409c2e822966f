import type { Circumstances, Fragment } from '../benchmark.ts'
import { longDate } from '../long-date.ts'
import { firstAnswerMs, type ColdStart } from './cold-start.ts'
import type { WarmLatency } from './warm-latency.ts'

type Named = ColdStart & { name: string }

export type ColdResults = {
  hello: Named
  /** The bundle after each step; the last is what is deployed. */
  steps: readonly Named[]
  /** Tried, and not taken. */
  trials: readonly Named[]
  warm: WarmLatency
}

export const STEP_COLUMNS = [
  'CPU until ready',
  'CPU until the first byte',
  'by CPU',
  'until the first byte',
  'by wall',
  'first byte after init, on 0.29 cores',
] as const

const ms = (value: number): string => `${value.toFixed(0)} ms`
const times = (value: number, base: number): string => `${(value / base).toFixed(2)} x`

/** What a row of the table says of a start, beside a function that does nothing. */
export const stepCells = (start: ColdStart, hello: ColdStart): string[] => [
  ms(start.readyCpuMs),
  ms(start.firstByteCpuMs),
  times(start.firstByteCpuMs, hello.firstByteCpuMs),
  ms(start.firstByteMs),
  times(start.firstByteMs, hello.firstByteMs),
  ms(firstAnswerMs(start)),
]

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

export function coldFragments({ hello, steps, trials }: ColdResults, { date }: Circumstances): Fragment[] {
  const [before, deployed] = [steps[0] ?? hello, steps.at(-1) ?? hello]
  const ratios = `${times(deployed.firstByteCpuMs, hello.firstByteCpuMs)} by CPU and ${times(deployed.firstByteMs, hello.firstByteMs)} by wall clock`
  const earlier = `${times(before.firstByteCpuMs, hello.firstByteCpuMs)} and ${times(before.firstByteMs, hello.firstByteMs)}`
  return [
    {
      page: 'test/bench/README.md',
      id: 'last',
      text: `until the first byte ${ratios} of a function that says hello; ${earlier} before the steps (${longDate(date)})`,
    },
    {
      page: 'test/bench/README.md',
      id: 'steps',
      text: [
        row(['after the step', ...STEP_COLUMNS]),
        row(['---', ...STEP_COLUMNS.map(() => '---')]),
        ...[hello, ...steps, ...trials].map(start => row([start.name, ...stepCells(start, hello)])),
      ].join('\n'),
    },
  ]
}
