import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Two cores are what a small CI machine has; more workers would only starve the streams under test.
    maxWorkers: 2,
    reporters: ['default'],
  },
})
