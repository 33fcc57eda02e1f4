import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import type { CharacterScore } from './score/characters.ts';
import { scoreCharacters, summariseCharacters } from './score/characters.ts';

// npm run score:characters [-- --set pmc|classes] [--only REGEXP] [--half work|aside] [--json] [--show]
// Compares the characters and words of our output with the engine's own text and with the publisher's JATS or the truth.
const { values: options } = parseArgs({
  options: {
    set: { type: 'string', default: 'pmc' },
    only: { type: 'string' },
    half: { type: 'string' },
    json: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
  },
});
const folder = join(dirname(import.meta.dirname), '..', 'shared', 'data', 'parse', 'open', options.set);
if (!existsSync(folder)) {
  console.error(`NOTHING WAS MEASURED: ${folder} does not exist`);
  process.exit(2);
}
const publishers = new Map(
  (JSON.parse(readFileSync(join(folder, 'MANIFEST.json'), 'utf8')) as { id: string; publisher?: string }[]).map(
    (entry) => [entry.id, entry.publisher ?? entry.id.replace(/-.*/, '')],
  ),
);
const scores: CharacterScore[] = [];
for (const file of readdirSync(folder).sort()) {
  const id = file.replace(/\.pdf$/, '');
  const half = halfOf(publishers.get(id) ?? id);
  if (!file.endsWith('.pdf') || (options.only !== undefined && !new RegExp(options.only).test(id))) continue;
  if (options.half !== undefined && options.half !== half) continue;
  const score = await scoreCharacters(join(folder, id), half);
  scores.push(score);
  if (!options.json) print(score);
}
if (scores.length === 0) {
  console.error('NOTHING WAS MEASURED: no paper was chosen');
  process.exit(2);
}
const summary = summariseCharacters(scores);
if (options.json) console.log(JSON.stringify({ summary, papers: scores }, undefined, 1));
else for (const [half, row] of Object.entries(summary)) console.log(half.padEnd(7), JSON.stringify(row));

/** Papers of one publisher stay in one half: rules made on the one are judged by the other. */
function halfOf(publisher: string): 'work' | 'aside' {
  const first = publisher.toLowerCase().split(/[^a-z]+/)[0] ?? publisher;
  return (createHash('sha256').update(first).digest()[0] ?? 0) % 2 === 0 ? 'work' : 'aside';
}

function print(score: CharacterScore): void {
  const { glued, split, micro, lost, symbols } = score;
  console.log(
    score.id.padEnd(14),
    score.half.padEnd(5),
    `glued ${score.perThousand(glued.ours.length).toFixed(2)} (engine ${score.perThousand(glued.engine.length).toFixed(2)})`,
    `split ${score.perThousand(split.ours.length).toFixed(2)} (${score.perThousand(split.engine.length).toFixed(2)})`,
    `micro ${micro.ours}/${micro.truth} (${micro.engine})`,
    `lost ${lost.count} hyphens ${score.hyphens.length}`,
    `symbols missing ${symbols.ours}/${symbols.truth} (${symbols.engine})`,
  );
  if (!options.show) return;
  console.log('   glued', glued.ours.slice(0, 12).join(' '));
  console.log('   split', split.ours.slice(0, 12).join(' | '));
  console.log('   lost', lost.sample);
  console.log('   hyphens', score.hyphens.slice(0, 8).join(' | '));
  console.log('   symbols', symbols.sample);
  console.log('   micro', micro.sample.slice(0, 6).join(' | '));
}
