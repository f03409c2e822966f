import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/temporary-files.ts',
    // A bound for what hangs, not a measure: no test may need a quiet machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // Two cores are what a small CI machine has; more workers would only starve the streams under test.
    maxWorkers: 2,
    // A fresh process for each of three hundred files would spend a fifth of the run on imports.
    isolate: false,
    reporters: ['default'],
  },
})
