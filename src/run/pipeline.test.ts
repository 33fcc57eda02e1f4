import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { readJsonl } from '../base/index.ts';
import type { StageWorker } from '../stage/index.ts';
import { manifestPath, stageOptions } from '../stage/index.ts';
import { aloneMachine } from './machine.ts';
import type { CorpusStages, PipelineOptions, PipelineOutcome } from './pipeline.ts';
import { runPipeline } from './pipeline.ts';
import type { FlowingStage } from './stages/prepare-stages.ts';

/** Stages that append their name to a text, in a temporary folder, and record what they start. */
class Works implements AsyncDisposable {
  readonly begun: string[] = [];
  readonly folder: string;
  readonly #scratch: Awaited<ReturnType<typeof mkdtempDisposable>>;
  /** Called before an item is processed. */
  hold: (stage: string, item: string) => Promise<void> | void = () => undefined;

  private constructor(scratch: Awaited<ReturnType<typeof mkdtempDisposable>>) {
    this.#scratch = scratch;
    this.folder = scratch.path;
  }

  static async open(): Promise<Works> {
    return new Works(await mkdtempDisposable(join(tmpdir(), 'docstokg-flow-')));
  }

  /** Creates files as input of a run. */
  files(...names: string[]): string[] {
    return names.map((name) => {
      const path = join(this.folder, 'in', name);
      mkdirSync(join(this.folder, 'in'), { recursive: true });
      writeFileSync(path, name);
      return path;
    });
  }

  options(): ReturnType<typeof stageOptions> {
    return stageOptions({ workers: 2, manifestDir: join(this.folder, 'Manifests'), durable: false });
  }

  stage(stageName: string, from: (document: string) => string): FlowingStage {
    const worker: StageWorker = async (item) => {
      this.begun.push(`${stageName} ${item.itemId}`);
      await this.hold(stageName, item.itemId);
      const text = readFileSync(item.inputs['text'] ?? '', 'utf8');
      if (text.startsWith('bad') && stageName === 'doctags') throw new Error('cannot be read');
      const output = item.outputs['text'];
      if (output !== undefined) writeFileSync(output, `${text} ${stageName}`);
      return { status: 'success' };
    };
    mkdirSync(join(this.folder, stageName), { recursive: true });
    return {
      stageName,
      worker,
      options: this.options(),
      cfgHash: 'same',
      item: (document) => {
        const itemId = basename(document);
        return {
          itemId,
          inputs: { text: from(document) },
          outputs: { text: join(this.folder, stageName, itemId) },
          cfgHash: 'same',
          costHint: 1,
        };
      },
    };
  }

  stages(): CorpusStages {
    const made = (stage: string) => (id: string) => join(this.folder, stage, id);
    return {
      doctags: this.stage('doctags', (file) => file),
      chunk: this.stage('chunk', made('doctags')),
      embed: this.stage('embed', made('chunk')),
    };
  }

  run(
    options: Partial<PipelineOptions<string, number>> & { readonly chunked?: () => readonly string[] },
    signal = new AbortController().signal,
  ): Promise<PipelineOutcome<string, number>> {
    const { chunked = () => [], ...given } = options;
    const defaults = {
      machine: aloneMachine({ stored: undefined, hasFile: async () => true, chunked, index: async () => undefined }),
      stages: this.stages(),
      feed: () => Promise.resolve('nothing'),
      index: async () => readdirSync(join(this.folder, 'embed')).length,
      report: () => undefined,
    };
    return runPipeline({ ...defaults, ...given }, signal);
  }

  async successes(stage: string): Promise<string[]> {
    const lines = await Array.fromAsync(readJsonl(manifestPath(join(this.folder, 'Manifests'), stage)));
    return lines
      .flatMap((line) => (line.kind === 'good' ? [line.value as { doc_id: string; status: string }] : []))
      .filter(({ status }) => status === 'success')
      .map(({ doc_id: id }) => id)
      .sort();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scratch.remove();
  }
}

const feedAll =
  (files: readonly string[]): PipelineOptions<string, number>['feed'] =>
  async (offer) => {
    await offer(files);
    return 'all';
  };

test('a document has vectors while another has not arrived', async () => {
  await using works = await Works.open();
  const [first = '', second = ''] = works.files('a', 'b');
  const embedded = Promise.withResolvers<void>();
  const outcome = await works.run({
    feed: async (offer) => {
      await offer([first]);
      // Ends only when the first document has gone through all stages.
      await embedded.promise;
      await offer([second]);
      return 'both';
    },
    report: (stage, event) => {
      if (stage === 'embed' && event.kind === 'progress' && event.progress.succeeded === 1) embedded.resolve();
    },
  });
  assert.deepEqual([outcome.fed, outcome.documents, outcome.stopReason], ['both', 2, undefined]);
  assert.equal(readFileSync(join(works.folder, 'embed', 'b'), 'utf8'), 'b doctags chunk embed');
  assert.deepEqual([outcome.stages.embed?.succeeded, outcome.index], [2, 4]);
});

test('documents that were chunked before and do not arrive again get vectors too, once each', async () => {
  await using works = await Works.open();
  const [first = '', second = ''] = works.files('a', 'b');
  await works.run({ stages: { ...works.stages(), embed: undefined }, feed: feedAll([first]) });
  assert.deepEqual(works.begun, ['doctags a', 'chunk a']);
  const outcome = await works.run({ feed: feedAll([second]), chunked: () => ['a', 'b'] });
  assert.deepEqual(await works.successes('embed'), ['a', 'b']);
  assert.equal(outcome.stages.embed?.succeeded, 2);
});

test('a second run repeats no work, and a file that arrives twice is processed once', async () => {
  await using works = await Works.open();
  const files = works.files('a', 'b');
  await works.run({ feed: feedAll(files) });
  works.begun.length = 0;
  const again = await works.run({ feed: feedAll([...files, ...works.files('c'), ...files]) });
  assert.deepEqual(works.begun, ['doctags c', 'chunk c', 'embed c']);
  assert.deepEqual([again.documents, again.stages.doctags?.skipped, again.stages.doctags?.succeeded], [3, 2, 1]);
  assert.deepEqual(await works.successes('chunk'), ['a', 'b', 'c']);
});

test('a document that fails to parse is reported; the others continue', async () => {
  await using works = await Works.open();
  const outcome = await works.run({ feed: feedAll(works.files('a', 'bad', 'c')) });
  assert.deepEqual(
    outcome.stages.doctags?.errors.map(({ itemId, message }) => [itemId, message]),
    [['bad', 'cannot be read']],
  );
  assert.deepEqual(await works.successes('embed'), ['a', 'c']);
  assert.equal(outcome.stopReason, undefined);
});

test('an offer waits when the stages do not keep up', async () => {
  await using works = await Works.open();
  const release = Promise.withResolvers<void>();
  works.hold = () => release.promise;
  let arrived = 0;
  const files = works.files(...Array.from({ length: 200 }, (_, at) => `d${at}`));
  const running = works.run({
    feed: async (offer) => {
      for (const file of files) {
        await offer([file]);
        arrived += 1;
      }
      return 'all';
    },
  });
  // No item ends before the release, so after 100 turns without a change no further file is taken.
  for (let [turns, before] = [0, -1]; turns < 100; turns += 1) {
    if (arrived !== before || arrived === 0) turns = 0;
    before = arrived;
    await setImmediate();
  }
  assert.ok(arrived < 150, `${arrived} of 200 were taken although no item had ended`);
  release.resolve();
  assert.equal((await running).documents, 200);
});

test('on a stop, running documents finish, queued ones are left and nothing is indexed; the next run does the rest', async () => {
  await using works = await Works.open();
  const files = works.files('a', 'b', 'c', 'd', 'e');
  const stop = new AbortController();
  works.hold = (stage) => {
    if (stage === 'doctags') stop.abort('SIGINT');
  };
  const stopped = await works.run(
    {
      feed: async (offer, signal) => {
        for (const file of files) if (!signal.aborted) await offer([file]);
        return 'part';
      },
    },
    stop.signal,
  );
  assert.deepEqual(
    [stopped.stopReason, stopped.index, existsSync(join(works.folder, 'embed', 'a'))],
    ['SIGINT', undefined, false],
  );
  const done = await works.successes('doctags');
  assert.ok(done.length > 0 && done.length < files.length, done.join(' '));
  works.hold = () => undefined;
  await works.run({ feed: feedAll(files) });
  for (const stage of ['doctags', 'chunk', 'embed'])
    assert.deepEqual(await works.successes(stage), ['a', 'b', 'c', 'd', 'e'], stage);
});

test('if feeding fails, the documents so far are processed and indexed before the error is thrown', async () => {
  await using works = await Works.open();
  const [file = ''] = works.files('a');
  let indexed = 0;
  const run = works.run({
    feed: async (offer) => {
      await offer([file]);
      throw new Error('the listing broke off');
    },
    index: async () => (indexed = readdirSync(join(works.folder, 'embed')).length),
  });
  await assert.rejects(run, /the listing broke off/);
  assert.equal(indexed, 2);
});

test('a stage that cannot start stops the others', async () => {
  await using works = await Works.open();
  const stages = works.stages();
  const broken = { ...stages.chunk, stageName: 'not a name' };
  const run = works.run({ stages: { ...stages, chunk: broken }, feed: feedAll(works.files('a', 'b')) });
  await assert.rejects(run, { code: 'CONFIG_STAGE_NAME' });
});
