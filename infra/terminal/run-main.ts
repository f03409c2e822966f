import { describeError } from './command-error.ts'

/** Runs a command: its exit code is what it returns, or 1 with one line on stderr for whatever it throws. */
export async function runMain(main: () => Promise<number>): Promise<void> {
  // A reader that has left, as `| head` does, wants no more.
  process.stdout.on('error', () => process.exit(0))
  try {
    process.exitCode = await main()
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n`)
    process.exitCode = 1
  }
}
