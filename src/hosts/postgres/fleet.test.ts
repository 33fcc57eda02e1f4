import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Client } from 'pg';

import type { TestPostgres } from '../../../test/postgres.ts';
import { startPostgres } from '../../../test/postgres.ts';

const RACER = join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'host-racer.ts');

/** Three a second, with the margin of the racers. */
const INTERVAL_MS = (1000 / 3) * 1.05;
/** How closely a process knows the server's clock, and ours the millisecond. */
const CLOCKS_DIFFER_MS = 15;

interface Said {
  readonly kind: 'ready' | 'start' | 'end' | 'raced' | 'control' | 'seen';
  readonly at: number;
  readonly pid?: number | undefined;
  readonly calls?: number;
}

let server: TestPostgres | undefined;
before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
});

/** Processes that share their hosts, and everything they say. */
async function fleet(
  processes: number,
  use: (
    racers: readonly ChildProcess[],
    said: Said[],
    heard: (kind: Said['kind'], times: number) => Promise<void>,
    schema: string,
  ) => Promise<void>,
): Promise<void> {
  const said: Said[] = [];
  let wake: () => void = () => undefined;
  const schema = `fleet_${processes}_${Math.random().toString(36).slice(2, 8)}`;
  const racers = Array.from({ length: processes }, () => {
    const racer = fork(RACER, [server?.url ?? '', schema], { execArgv: [] });
    racer.on('message', (message: Said) => {
      said.push({ ...message, pid: racer.pid });
      wake();
    });
    return racer;
  });
  const heard = async (kind: Said['kind'], times: number): Promise<void> => {
    while (said.filter((each) => each.kind === kind).length < times) {
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  try {
    await heard('ready', processes);
    await use(racers, said, heard, schema);
    for (const racer of racers) if (racer.connected) racer.send({ kind: 'leave' });
    for (const racer of racers) if (racer.exitCode === null && racer.signalCode === null) await once(racer, 'exit');
  } finally {
    for (const racer of racers) racer.kill('SIGKILL');
  }
}

/** What the server itself has written down: every turn that it gave at a host, and how many places there were at once. */
async function books(schema: string): Promise<{ turns: number[]; mostPlaces: number }> {
  await using client = await connect();
  const turns = await client.query<{ before: number; after: number; at: number }>(
    `SELECT before, after, at FROM "${schema}".turn_book WHERE key = 'rate.org' ORDER BY id`,
  );
  const places = await client.query<{ most: number }>(
    `SELECT max(places)::int AS most FROM "${schema}".place_book WHERE key = 'capped.org'`,
  );
  return {
    turns: turns.rows.flatMap(({ before: due, after: next, at }) => {
      const given: number[] = [];
      // The book is written a moment after the turn was given, on a busy machine a long one.
      const first = Math.max(due, at - INTERVAL_MS / 2) - 1e-3;
      for (let turn = next - INTERVAL_MS; turn >= first; turn -= INTERVAL_MS) given.unshift(turn);
      return given;
    }),
    mostPlaces: places.rows[0]?.most ?? 0,
  };
}

async function keepBooks(schema: string): Promise<void> {
  await using client = await connect();
  await client.query(`SET search_path TO "${schema}"`);
  await client.query(`
    CREATE TABLE turn_book (id BIGSERIAL, key TEXT, before DOUBLE PRECISION, after DOUBLE PRECISION, at DOUBLE PRECISION);
    CREATE TABLE place_book (key TEXT, places INTEGER);
    CREATE FUNCTION note_turn() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS
      $$BEGIN INSERT INTO turn_book (key, before, after, at) VALUES (NEW.key, OLD.next_at, NEW.next_at, server_ms()); RETURN NULL; END$$;
    CREATE FUNCTION note_places() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS
      $$BEGIN INSERT INTO place_book SELECT NEW.key, sum(slots) FROM host_slots
        WHERE key = NEW.key AND expires_at > server_ms(); RETURN NULL; END$$;
    CREATE TRIGGER note_turn AFTER UPDATE OF next_at ON hosts FOR EACH ROW EXECUTE FUNCTION note_turn();
    CREATE TRIGGER note_places AFTER INSERT OR UPDATE ON host_slots FOR EACH ROW EXECUTE FUNCTION note_places();`);
}

async function connect(): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: server?.url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

for (const processes of [2, 8]) {
  test(`${processes} processes that want the same host are one visitor: its rate and its cap are kept, and used`, async () => {
    await fleet(processes, async (racers, said, heard, schema) => {
      await keepBooks(schema);
      const each = 16 / processes;
      for (const racer of racers) racer.send({ kind: 'race', host: 'rate.org', times: each, holdMs: 1 });
      await heard('raced', processes);
      const starts = said
        .filter(({ kind }) => kind === 'start')
        .map(({ at }) => at)
        .toSorted((a, b) => a - b);
      assert.equal(starts.length, 16);
      for (const racer of racers) racer.send({ kind: 'race', host: 'capped.org', times: each, holdMs: 15 });
      await heard('raced', 2 * processes);
      assert.equal(said.filter(({ kind }) => kind === 'end').length, 32);

      const { turns, mostPlaces } = await books(schema);
      assert.equal(mostPlaces, 2, 'places at once, by the books of the server');
      for (const [at, turn] of turns.entries()) {
        if (at > 0) assert.ok(turn - (turns[at - 1] ?? 0) >= INTERVAL_MS - 1e-3, `turns of ${turns.join(' ')}`);
      }
      // Whoever starts uses up a turn that has come: at no moment have more started than turns had passed.
      for (const [at, start] of starts.entries()) {
        const turn = turns[at] ?? Infinity;
        assert.ok(start >= turn - CLOCKS_DIFFER_MS, `start ${at} came ${turn - start} ms before its turn`);
      }
      const seconds = ((starts.at(-1) ?? 0) - (starts[0] ?? 0)) / 1000;
      // Fifteen pauses of 350 ms take 5.3 s; a busy machine may miss a turn or two.
      assert.ok(seconds < 16, `${seconds} s`);
    });
  });
}

test('places of a killed process come back', async () => {
  await fleet(2, async ([victim, other], said, heard) => {
    victim?.send({ kind: 'keep', host: 'capped.org' });
    await heard('start', 2);
    victim?.kill('SIGKILL');
    other?.send({ kind: 'race', host: 'capped.org', times: 2, holdMs: 1 });
    await heard('raced', 1);
    assert.equal(said.filter(({ kind }) => kind === 'end').length, 2);
  });
});

test('a hold is kept by all within 100 ms of its being told by the server', async () => {
  await fleet(8, async ([first], said, heard) => {
    first?.send({ kind: 'hold', host: 'held.org' });
    await heard('seen', 8);
    await heard('control', 8);
    // The same word is heard by a bare connection of each process: until then it is the server's and the machine's.
    const delays = said
      .filter(({ kind }) => kind === 'seen')
      .map(({ at, pid }) => at - (said.find((each) => each.kind === 'control' && each.pid === pid)?.at ?? Infinity));
    assert.equal(delays.length, 8);
    assert.ok(
      delays.every((delay) => delay < 100),
      `${delays.join(' ')} ms`,
    );
  });
});
