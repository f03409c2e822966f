import type { JsonObject } from '../../../core/json.ts'

/** Writes one event. */
export type WriteEvent = (type: string, fields: JsonObject) => string

export type BlockKind =
  { kind: 'thinking' } | { kind: 'text' } | { kind: 'tool_use'; id: string; name: string }

/** One block of a streamed answer: what has come of it is held until it is open. */
export type StreamBlock = {
  readonly kind: BlockKind['kind']
  grow(text: string): void
  /** All of its text. */
  text(): string
  /** What has come since the last call; opens the block. */
  flush(write: WriteEvent): string
  close(write: WriteEvent): string
}

function emptyBlock(block: BlockKind): JsonObject {
  switch (block.kind) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'text':
      return { type: 'text', text: '', citations: null }
    case 'tool_use':
      // What would stand in `input` here is read by nobody: it comes as deltas.
      return { type: 'tool_use', id: block.id, name: block.name, input: {} }
  }
}

const DELTAS = {
  thinking: (thinking: string) => ({ type: 'thinking_delta', thinking }),
  text: (text: string) => ({ type: 'text_delta', text }),
  tool_use: (json: string) => ({ type: 'input_json_delta', partial_json: json }),
}

export function createStreamBlock(block: BlockKind, index: number): StreamBlock {
  let text = ''
  let sent = 0
  let open = false

  function flush(write: WriteEvent): string {
    const begun = open ? '' : write('content_block_start', { index, content_block: emptyBlock(block) })
    open = true
    const fresh = text.slice(sent)
    sent = text.length
    return fresh === ''
      ? begun
      : begun + write('content_block_delta', { index, delta: DELTAS[block.kind](fresh) })
  }

  return {
    kind: block.kind,
    grow: more => void (text += more),
    text: () => text,
    flush,
    close: write => flush(write) + write('content_block_stop', { index }),
  }
}
