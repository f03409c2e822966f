import { setFlagsFromString } from 'node:v8'
import { readDotEnv } from '../terminal/read-dot-env.ts'

/** Whether neither the environment nor the `.env` of a folder names a table that others may share. */
export function hasTableOfItsOwn(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  try {
    return !readDotEnv(folder, environment)['AWS_ENDPOINT_URL_DYNAMODB']
  } catch {
    // The start reads the file again, and tells what is wrong with it.
    return true
  }
}

/**
 * Keeps the heap near what is alive. V8 sizes it by the memory of the machine otherwise, and lets hundreds of megabytes
 * of garbage lie until a busy server would need them; collecting sooner costs some CPU.
 */
export function keepHeapLean(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=20')
  setFlagsFromString('--optimize-for-size')
}
