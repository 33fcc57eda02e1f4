import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { describe, test } from 'node:test';

import type { JobLease, Journal, LogName } from '../journal/index.ts';
import { START } from '../journal/index.ts';

/** One corpus, its journals, and a job of its queue. */
export interface JournalsUnderTest extends AsyncDisposable {
  /** Opens a journal of the corpus as another process, or another machine, would. */
  readonly open: () => Promise<Journal>;
  /** Leases a new job. */
  readonly lease: () => Promise<JobLease>;
  /** Takes a job from its worker, as if its lease had expired. */
  readonly lose: (lease: JobLease) => Promise<void>;
}

/** What every journal must do. */
export function describeJournal(name: string, open: () => Promise<JournalsUnderTest>): void {
  const linesOf = async (journal: Journal, log: LogName): Promise<string[]> => {
    await journal.refresh();
    const file = journal.logs.of(log);
    return existsSync(file.path) ? [...(journal.logs.read(file, START, 1 << 20)?.lines ?? [])] : [];
  };

  describe(`${name} as a journal`, () => {
    test('lines are read in the order in which they were appended, each log by itself', async () => {
      await using under = await open();
      await using journal = await under.open();
      assert.deepEqual(await linesOf(journal, 'manifest'), []);
      assert.equal(await journal.append([{ log: 'manifest', lines: ['{"a":1}', '{"a":2}'] }]), true);
      const both = [
        { log: 'objects', lines: ['{"o":1}'] },
        { log: 'manifest', lines: ['{"a":"ü\\n"}'] },
      ] as const;
      await journal.append(both);
      await journal.append([{ log: 'doctags', lines: ['{"d":1}'] }]);
      await journal.append([{ log: 'hosts', lines: ['{"h":1}'] }]);
      assert.deepEqual(await linesOf(journal, 'manifest'), ['{"a":1}', '{"a":2}', '{"a":"ü\\n"}']);
      assert.deepEqual(await linesOf(journal, 'objects'), ['{"o":1}']);
      assert.deepEqual(await linesOf(journal, 'doctags'), ['{"d":1}']);
      assert.deepEqual(await linesOf(journal, 'hosts'), ['{"h":1}']);
    });

    test('what was appended is either in the files or unread, until the files have it', async () => {
      await using under = await open();
      await using one = await under.open();
      await using other = await under.open();
      await one.append([{ log: 'objects', lines: ['{"o":1}', '{"o":2}'] }]);
      await one.append([{ log: 'manifest', lines: ['{"m":1}'] }]);
      const file = other.logs.of('objects');
      const copied = existsSync(file.path) ? (other.logs.read(file, START, 1 << 20)?.lines ?? []) : [];
      assert.deepEqual([...copied, ...(await other.unread('objects'))], ['{"o":1}', '{"o":2}']);
      assert.deepEqual(await linesOf(other, 'objects'), ['{"o":1}', '{"o":2}']);
      assert.deepEqual(await other.unread('objects'), []);
    });

    test('what was said is there before what is appended next', async () => {
      await using under = await open();
      await using journal = await under.open();
      journal.say({ log: 'records', lines: ['{"said":1}', '{"said":2}'] });
      journal.say({ log: 'decisions', lines: ['{"said":3}'] });
      await journal.append([{ log: 'records', lines: ['{"appended":4}'] }]);
      assert.deepEqual(await linesOf(journal, 'records'), ['{"said":1}', '{"said":2}', '{"appended":4}']);
      assert.deepEqual(await linesOf(journal, 'decisions'), ['{"said":3}']);
      journal.say({ log: 'records', lines: ['{"said":5}'] });
      assert.equal((await linesOf(journal, 'records')).length, 4, 'a refresh does not wait for the next append');
    });

    test('what was said last is there after the journal was closed', async () => {
      await using under = await open();
      {
        await using journal = await under.open();
        journal.say({ log: 'records', lines: ['{"said":1}'] });
      }
      await using again = await under.open();
      assert.deepEqual(await linesOf(again, 'records'), ['{"said":1}']);
    });

    test('a worker that has lost its lease appends nothing', async () => {
      await using under = await open();
      await using journal = await under.open();
      const lease = await under.lease();
      const row = (text: string) => [
        { log: 'objects', lines: [`{"object":"${text}"}`] } as const,
        { log: 'manifest', lines: [`{"row":"${text}"}`] } as const,
      ];
      assert.equal(await journal.append(row('held'), lease), true);
      await under.lose(lease);
      assert.equal(await journal.append(row('lost'), lease), false);
      assert.equal(await journal.append(row('without a lease')), true);
      assert.deepEqual(await linesOf(journal, 'manifest'), ['{"row":"held"}', '{"row":"without a lease"}']);
      assert.deepEqual(await linesOf(journal, 'objects'), ['{"object":"held"}', '{"object":"without a lease"}']);
    });

    test('appenders at the same time lose nothing, and the lines of one append stay together', async () => {
      await using under = await open();
      await using one = await under.open();
      await using other = await under.open();
      await Promise.all(
        Array.from({ length: 100 }, async (_, at) => {
          const lines = Array.from({ length: 3 }, (_each, place) => JSON.stringify({ at, place }));
          assert.equal(await (at % 2 === 0 ? one : other).append([{ log: 'manifest', lines }]), true);
        }),
      );
      const lines = (await linesOf(one, 'manifest')).map((line) => JSON.parse(line) as { at: number; place: number });
      assert.equal(new Set(lines.map(({ at }) => at)).size, 100);
      for (const [index, { at, place }] of lines.entries())
        assert.deepEqual([at, place], [lines[index - place]?.at, index % 3]);
      assert.deepEqual(await linesOf(other, 'manifest'), await linesOf(one, 'manifest'));
    });

    test('reading goes on after the last position', async () => {
      await using under = await open();
      await using journal = await under.open();
      const file = journal.logs.of('manifest');
      let cursor = START;
      const seen: string[] = [];
      for (let at = 0; at < 5; at += 1) {
        await journal.append([{ log: 'manifest', lines: [`{"at":${at}}`, `{"and":${at}}`] }]);
        await journal.refresh();
        const piece = journal.logs.read(file, cursor, 1 << 20);
        assert.ok(piece?.isEnd);
        ({ cursor } = piece);
        seen.push(...piece.lines);
      }
      assert.deepEqual(seen, await linesOf(journal, 'manifest'));
      assert.equal(cursor.bytes, journal.logs.size('manifest'));
      assert.deepEqual(journal.logs.read(file, cursor, 1 << 20)?.lines, []);
    });

    test('half a line, as a crash leaves it, is not read, and the next line is whole', async () => {
      await using under = await open();
      await using journal = await under.open();
      await journal.append([{ log: 'manifest', lines: ['{"a":1}'] }]);
      await journal.refresh();
      appendFileSync(journal.logs.of('manifest').path, '{"a":2,"half');
      assert.deepEqual(await linesOf(journal, 'manifest'), ['{"a":1}']);
      await journal.append([{ log: 'manifest', lines: ['{"a":3}'] }]);
      assert.deepEqual(await linesOf(journal, 'manifest'), ['{"a":1}', '{"a":3}']);
    });

    test('a log that has shrunk is not taken for the one that was read', async () => {
      await using under = await open();
      await using journal = await under.open();
      await journal.append([{ log: 'manifest', lines: ['{"a":1}', '{"a":2}'] }]);
      await journal.refresh();
      const file = journal.logs.of('manifest');
      const cursor = journal.logs.read(file, START, 1 << 20)?.cursor ?? assert.fail('not read');
      const before = readFileSync(file.path, 'utf8');
      truncateSync(file.path, 8);
      assert.equal(journal.logs.read(file, cursor, 1 << 20), undefined);
      appendFileSync(file.path, before.slice(8).replaceAll('2', '3'));
      assert.equal(journal.logs.read(file, cursor, 1 << 20), undefined, 'another line in its place');
    });

    test('all journals of a corpus have the same identity, and no other corpus has it', async () => {
      await using under = await open();
      await using one = await under.open();
      await using other = await under.open();
      const identity = await one.identity();
      assert.ok(identity.length > 8);
      assert.equal(await other.identity(), identity);
      await using elsewhere = await open();
      await using stranger = await elsewhere.open();
      assert.notEqual(await stranger.identity(), identity);
    });
  });
}
