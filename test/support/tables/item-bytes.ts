import type { TableItem } from '../../../lambdas/store/item-codec.ts'

const CONTAINER_BYTES = 3
const ENTRY_BYTES = 1

/** Two digits a byte, and one more; zeros at either end count for nothing. */
function numberBytes(value: number): number {
  const digits = String(Math.abs(value)).replace('.', '').replace(/^0+/, '').replace(/0+$/, '')
  return Math.ceil(digits.length / 2) + 1 + (value < 0 ? 1 : 0)
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'number') return numberBytes(value)
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, part) => sum + ENTRY_BYTES + valueBytes(part), CONTAINER_BYTES)
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).reduce(
      (sum, [name, part]) => sum + ENTRY_BYTES + Buffer.byteLength(name) + valueBytes(part),
      CONTAINER_BYTES,
    )
  }
  return 1
}

/**
 * The size of an item as DynamoDB counts it.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export const itemBytes = (item: TableItem): number =>
  Object.entries(item)
    .filter(([, value]) => value !== undefined)
    .reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0)
