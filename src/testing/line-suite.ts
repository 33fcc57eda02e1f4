import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ItemEnd, ItemSource, Line, TakenItem, WorkItem } from '../stage/index.ts';

/** The items of a plan, for several runners. */
export interface SharedItems extends AsyncDisposable {
  /** The source that one runner takes from. */
  runner(): Promise<ItemSource>;
}

const DONE: ItemEnd = { kind: 'success', outcome: { status: 'success' } };
const SKIPPED: ItemEnd = { kind: 'skip', outcome: { status: 'skip', reason: 'nothing to do' } };
const never = new AbortController().signal;

function item(itemId: string, more: Partial<WorkItem> = {}): WorkItem {
  return { itemId, inputs: {}, outputs: {}, cfgHash: 'cfg', costHint: 1, ...more };
}

function failure(itemId: string): ItemEnd {
  const error = { stage: 'test', itemId, category: 'runtime', message: 'broken', retryable: false } as const;
  return { kind: 'failure', error };
}

const idsOf = (taken: readonly TakenItem[] | undefined): string[] =>
  (taken ?? []).map(({ item: { itemId } }) => itemId);

async function takeOne(source: ItemSource): Promise<WorkItem> {
  const [taken] = (await source.take(1, never)) ?? [];
  return taken?.item ?? assert.fail('there was no item');
}

/** `open` distributes the given items. */
export function describeItemSource(name: string, open: (items: readonly WorkItem[]) => Promise<SharedItems>): void {
  describe(`${name} as a source of items`, () => {
    const check = (title: string, items: readonly WorkItem[], body: (shared: SharedItems) => Promise<void>): void => {
      test(title, async () => {
        await using shared = await open(items);
        await body(shared);
      });
    };
    const many = Array.from({ length: 25 }, (_, at) => item(`doc${String(at).padStart(2, '0')}`));

    check('every item is given to exactly one of several runners', many, async (shared) => {
      const runners = [await shared.runner(), await shared.runner(), await shared.runner()];
      const seen: string[] = [];
      const work = async (source: ItemSource): Promise<void> => {
        for (let taken = await source.take(4, never); taken; taken = await source.take(4, never)) {
          assert.ok(taken.length <= 4);
          for (const each of taken) {
            seen.push(each.item.itemId);
            await source.settle(each.item, DONE);
          }
        }
      };
      await Promise.all(runners.map(work));
      assert.deepEqual(seen.toSorted(), idsOf(many.map((each) => ({ item: each }))));
    });

    check('success, skip and failure all finish an item', [item('a'), item('b'), item('c')], async (shared) => {
      const source = await shared.runner();
      const ends: ItemEnd[] = [DONE, SKIPPED, failure('c')];
      let handed = 0;
      for (let taken = await source.take(1, never); taken; taken = await source.take(1, never)) {
        for (const each of taken) await source.settle(each.item, ends[handed++] ?? DONE);
      }
      assert.equal(handed, 3);
      assert.equal(await (await shared.runner()).take(1, never), undefined);
    });

    const whole = item('Übung 1/ä', {
      inputs: { file: 'in/a b.pdf' },
      outputs: { blocks: 'out/a.jsonl', text: 'out/a.txt' },
      costHint: 12.5,
      metadata: { pages: 3, title: '"quoted" \n 📖' },
      fingerprint: { inputSha256: 'f00d', cfgHash: 'cfg' },
    });
    check('an item is returned unchanged', [whole], async (shared) => {
      const source = await shared.runner();
      assert.deepEqual(await takeOne(source), whole);
      await source.settle(whole, DONE);
    });

    check('an unfinished item is given out again, to any runner', [item('a')], async (shared) => {
      const [first, second] = [await shared.runner(), await shared.runner()];
      const taken = await takeOne(first);
      await first.settle(taken, { kind: 'unfinished' });
      assert.equal((await takeOne(second)).itemId, 'a');
      await second.settle(taken, DONE);
      assert.equal(await first.take(1, never), undefined);
    });

    check('an idle runner waits while others hold items', [item('a')], async (shared) => {
      const [holder, idle] = [await shared.runner(), await shared.runner()];
      const taken = await takeOne(holder);
      const waiting = idle.take(1, never);
      await holder.settle(taken, { kind: 'unfinished' });
      assert.deepEqual(idsOf(await waiting), ['a']);
      const end = holder.take(1, never);
      await idle.settle(taken, DONE);
      assert.equal(await end, undefined);
    });

    check('a waiting runner stops at its signal', [item('a')], async (shared) => {
      const [holder, idle] = [await shared.runner(), await shared.runner()];
      const taken = await takeOne(holder);
      const stop = new AbortController();
      const waiting = idle.take(1, stop.signal);
      stop.abort();
      assert.equal(await waiting, undefined);
      await holder.settle(taken, DONE);
    });

    check('a source without items ends at once', [], async (shared) => {
      assert.equal(await (await shared.runner()).take(1, never), undefined);
    });
  });
}

/** A line that several runners share. */
export interface SharedLine extends AsyncDisposable {
  /** Each runner has the same line. */
  runner(): Promise<Line>;
}

/** A line is a source of what is offered to it; `open` gives an empty one. */
export function describeLine(name: string, open: () => Promise<SharedLine>): void {
  describeItemSource(name, async (items) => {
    const shared = await open();
    const first = await shared.runner();
    await first.offer(items, never);
    first.close();
    const runner = async (): Promise<ItemSource> => {
      const line = await shared.runner();
      line.close();
      return line;
    };
    return { runner, [Symbol.asyncDispose]: () => shared[Symbol.asyncDispose]() };
  });

  describe(`${name} as a line`, () => {
    const check = (title: string, body: (line: Line) => Promise<void>): void => {
      test(title, async () => {
        await using shared = await open();
        await body(await shared.runner());
      });
    };

    check('a waiting runner gets what is offered, and the end after the last item is settled', async (line) => {
      const waiting = line.take(1, never);
      await line.offer([item('a')], never);
      assert.deepEqual(idsOf(await waiting), ['a']);
      const next = line.take(1, never);
      line.close();
      await line.settle(item('a'), DONE);
      assert.equal(await next, undefined);
    });

    check('an item that is offered again is not given out again', async (line) => {
      await line.offer([item('a'), item('a')], never);
      const taken = await takeOne(line);
      await line.offer([item('a')], never);
      await line.settle(taken, DONE);
      await line.offer([item('a'), item('b')], never);
      assert.equal((await takeOne(line)).itemId, 'b');
      line.close();
      await line.settle(item('b'), DONE);
      assert.equal(await line.take(1, never), undefined);
    });

    check('items can be offered while others are held, also by the step that holds them', async (line) => {
      await line.offer([item('a')], never);
      const taken = await takeOne(line);
      await line.offer([item('b')], never);
      await line.settle(taken, DONE);
      line.close();
      const last = await takeOne(line);
      await line.settle(last, DONE);
      assert.deepEqual([last.itemId, await line.take(1, never)], ['b', undefined]);
    });

    check('a closed line without items ends at once', async (line) => {
      const waiting = line.take(1, never);
      line.close();
      assert.equal(await waiting, undefined);
    });
  });
}
