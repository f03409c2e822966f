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
  thinking: '"type":"thinking_delta","thinking"',
  text: '"type":"text_delta","text"',
  tool_use: '"type":"input_json_delta","partial_json"',
}

export function createStreamBlock(block: BlockKind, index: number): StreamBlock {
  // As many events as an answer has pieces: each is its text between two that are the same for all.
  const before = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{${DELTAS[block.kind]}:`
  let text = ''
  let fresh = ''
  let open = false

  function flush(write: WriteEvent): string {
    const begun = open ? '' : write('content_block_start', { index, content_block: emptyBlock(block) })
    open = true
    if (fresh === '') return begun
    const piece = `${before}${JSON.stringify(fresh)}}}\n\n`
    fresh = ''
    return begun + piece
  }

  return {
    kind: block.kind,
    grow(more) {
      text += more
      fresh += more
    },
    text: () => text,
    flush,
    close: write => flush(write) + write('content_block_stop', { index }),
  }
}
