// A stage of your own: counts the words of every text file of a folder, in child processes, resumably.
//   node examples/own-stage.ts TEXTS COUNTS       (run it twice: the second time there is nothing left to do)
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { runStage, stageExitCode, StageError, summaryText } from 'docstokg/stage';
import type { StagePlan, StageWorker } from 'docstokg/stage';

/** Plan: which items there are, what each is made from, and where it goes. */
function plan(input: string, output: string): StagePlan {
  const names = readdirSync(input).filter((name) => name.endsWith('.txt'));
  const items = names.map((name) => ({
    itemId: name,
    inputs: { text: join(input, name) },
    outputs: { counts: join(output, `${name}.json`) },
    cfgHash: 'lower-case-1', // change it when the settings change: everything is done again
    costHint: statSync(join(input, name)).size,
  }));
  return { stageName: 'words', items, totalItems: items.length };
}

/** Worker: one item. It writes to `item.outputs`, which get their final names when all is well. */
const countWords: StageWorker = (item) => {
  const counts = new Map<string, number>();
  const words =
    readFileSync(item.inputs['text'] ?? '', 'utf8')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  if (words.length === 0) throw new StageError('input', 'there is not a word in it');
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  writeFileSync(item.outputs['counts'] ?? '', JSON.stringify(Object.fromEntries(counts)));
  return { status: 'success', manifest: { words: words.length } };
};
export default countWords;

if (import.meta.main) {
  const [input = 'texts', output = 'counts'] = process.argv.slice(2);
  const outcome = await runStage(
    plan(input, output),
    { module: import.meta.url }, // by name, because a thread cannot be handed a function
    { policy: 'cpu', workers: 2, scheduling: 'lpt', perItemTimeoutS: 60, manifestDir: join(output, 'Manifests') },
    { afterItem: (item, end) => console.log(item.itemId, 'status' in end ? end.status : end.category) },
  );
  console.error(summaryText(outcome));
  process.exitCode = stageExitCode(outcome);
}
