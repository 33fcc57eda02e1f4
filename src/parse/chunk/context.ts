import type { Flow } from './flow.ts';
import type { Tokenizer } from './tokenizer.ts';

/** What is said before a chunk's text, and what that costs. */
export interface Context {
  readonly text: string;
  readonly tokens: number;
}

/**
 * Makes the context of a chunk that begins at `start` in `section`: the document's title and the headings above it, as
 * far as the chunk's own text does not begin with them. At most half of a chunk is context: the outermost goes first.
 */
export function createContexts(
  flow: Flow,
  tokenizer: Tokenizer,
  maxTokens: number,
): (section: number, start: number) => Context {
  const known = new Map<string, Context>();
  return (section, start) => {
    const parts = (flow.sections[section] ?? []).filter((heading) => heading.start < start).map(({ text }) => text);
    if (flow.title !== '' && !(flow.titleStart >= start && flow.titleStart !== Infinity)) parts.unshift(flow.title);
    const key = parts.join('\n');
    let context = known.get(key);
    if (!context) {
      context = fit(parts, tokenizer, Math.floor(maxTokens / 2));
      known.set(key, context);
    }
    return context;
  };
}

function fit(parts: readonly string[], tokenizer: Tokenizer, budget: number): Context {
  for (let from = 0; from < parts.length; from += 1) {
    const text = parts.slice(from).join('\n');
    const tokens = tokenizer.count(`${text}\n`);
    if (tokens <= budget) return { text, tokens };
  }
  return { text: '', tokens: 0 };
}
