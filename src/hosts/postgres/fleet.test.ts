import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Client } from 'pg';

import type { TestPostgres } from '../../../test/postgres.ts';
import { HELD_HOSTS, heldHost } from '../../../test/fixtures/held-hosts.ts';
import { startPostgres } from '../../../test/postgres.ts';

const RACER = join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'host-racer.ts');

/** Three per second, with the margin the processes use. */
const INTERVAL_MS = (1000 / 3) * 1.05;
/** How far a process may misjudge the server's clock, including rounding to milliseconds. */
const CLOCKS_DIFFER_MS = 15;

interface Message {
  readonly kind: 'ready' | 'start' | 'end' | 'raced' | 'control' | 'seen';
  readonly at: number;
  readonly pid?: number | undefined;
  readonly calls?: number;
  readonly host?: string;
}

/** A row of the server's records: turns granted at a host, and turns returned. */
interface Entry {
  readonly first_at: number;
  readonly turns: number;
  readonly next_at: number;
  readonly unused: number;
  readonly behind: number;
}

let server: TestPostgres | undefined;
before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
});

/** Processes that share their hosts, and the messages they send. */
async function fleet(
  processes: number,
  use: (
    racers: readonly ChildProcess[],
    messages: Message[],
    waitFor: (kind: Message['kind'], times: number) => Promise<void>,
    schema: string,
  ) => Promise<void>,
  leaseMs = 15_000,
): Promise<void> {
  const messages: Message[] = [];
  let wake: () => void = () => undefined;
  const schema = `fleet_${processes}_${Math.random().toString(36).slice(2, 8)}`;
  const racers = Array.from({ length: processes }, () => {
    const racer = fork(RACER, [server?.url ?? '', schema, String(leaseMs)], { execArgv: [] });
    racer.on('message', (message: Message) => {
      messages.push({ ...message, pid: racer.pid });
      wake();
    });
    return racer;
  });
  const waitFor = async (kind: Message['kind'], times: number): Promise<void> => {
    while (messages.filter((each) => each.kind === kind).length < times) {
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  try {
    await waitFor('ready', processes);
    await use(racers, messages, waitFor, schema);
    for (const racer of racers) if (racer.connected) racer.send({ kind: 'leave' });
    for (const racer of racers) if (racer.exitCode === null && racer.signalCode === null) await once(racer, 'exit');
  } finally {
    for (const racer of racers) racer.kill('SIGKILL');
  }
}

/** The server's own records: every turn it granted at a host, and the maximum number of slots in use. */
async function readRecords(schema: string): Promise<{ turns: number[]; mostSlots: number }> {
  await using client = await connect();
  const { rows: entries } = await client.query<Entry>(
    `SELECT first_at, turns, next_at, unused, behind FROM "${schema}".turn_book WHERE key = 'rate.org' ORDER BY id`,
  );
  const places = await client.query<{ most: number }>(
    `SELECT max(places)::int AS most FROM "${schema}".place_book WHERE key = 'capped.org'`,
  );
  return { turns: turnsOf(entries), mostSlots: places.rows[0]?.most ?? 0 };
}

/** The turns that were granted and not returned. */
function turnsOf(entries: readonly Entry[]): number[] {
  const turns: number[] = [];
  let next: number | undefined;
  for (const { first_at: first, turns: given, next_at: after, unused, behind } of entries) {
    if (unused > 0 && next === behind) turns.splice(-unused);
    for (let turn = 0; turn < given; turn += 1) turns.push(first + turn * INTERVAL_MS);
    next = after;
  }
  return turns;
}

async function recordGrants(schema: string): Promise<void> {
  await using client = await connect();
  await client.query(`SET search_path TO "${schema}"`);
  await client.query(`
    CREATE TABLE turn_book (id BIGSERIAL, key TEXT, first_at DOUBLE PRECISION, turns INTEGER, next_at DOUBLE PRECISION,
      unused INTEGER, behind DOUBLE PRECISION);
    CREATE TABLE place_book (key TEXT, places INTEGER);
    -- Each grant is recorded before another process can get a turn at the same host.
    ALTER FUNCTION reserve_turns RENAME TO reserve_turns_itself;
    CREATE FUNCTION reserve_turns(me TEXT, ttl_ms DOUBLE PRECISION, ahead_ms DOUBLE PRECISION, lead_ms DOUBLE PRECISION,
        keys TEXT[], caps INTEGER[], intervals DOUBLE PRECISION[], bursts INTEGER[], turns INTEGER[], slots INTEGER[],
        used INTEGER[], spaced BOOLEAN[], from_answer BOOLEAN[], unused INTEGER[], behind DOUBLE PRECISION[])
      RETURNS TABLE (key TEXT, now_ms DOUBLE PRECISION, first_at DOUBLE PRECISION, next_at DOUBLE PRECISION, turns_given INTEGER,
        slots_given INTEGER, contended BOOLEAN, held_ms DOUBLE PRECISION, holders INTEGER)
      LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      #variable_conflict use_column
      BEGIN FOR key, now_ms, first_at, next_at, turns_given, slots_given, contended, held_ms, holders IN
        SELECT * FROM reserve_turns_itself($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) LOOP
        INSERT INTO turn_book (key, first_at, turns, next_at, unused, behind) SELECT reserve_turns.key, reserve_turns.first_at,
          turns_given, reserve_turns.next_at, $14[array_position($5, reserve_turns.key)], $15[array_position($5, reserve_turns.key)];
        RETURN NEXT;
      END LOOP; END$$;
    CREATE FUNCTION note_places() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS
      $$BEGIN INSERT INTO place_book SELECT NEW.key, sum(slots) FROM host_slots
        WHERE key = NEW.key AND expires_at > server_ms(); RETURN NULL; END$$;
    CREATE TRIGGER note_places AFTER INSERT OR UPDATE ON host_slots FOR EACH ROW EXECUTE FUNCTION note_places();`);
}

async function connect(): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: server?.url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

test('eight processes using the same host act as one client: its rate and limit are kept and used', async () => {
  const processes = 8;
  await fleet(processes, async (racers, messages, waitFor, schema) => {
    await recordGrants(schema);
    const each = 16 / processes;
    for (const racer of racers) racer.send({ kind: 'race', host: 'rate.org', times: each, holdMs: 1 });
    await waitFor('raced', processes);
    const starts = messages
      .filter(({ kind }) => kind === 'start')
      .map(({ at }) => at)
      .toSorted((a, b) => a - b);
    assert.equal(starts.length, 16);
    for (const racer of racers) racer.send({ kind: 'race', host: 'capped.org', times: each, holdMs: 15 });
    await waitFor('raced', 2 * processes);
    assert.equal(messages.filter(({ kind }) => kind === 'end').length, 32);

    const { turns, mostSlots } = await readRecords(schema);
    assert.equal(mostSlots, 2, 'slots in use at once, by the records of the server');
    for (const [at, turn] of turns.entries()) {
      if (at > 0) assert.ok(turn - (turns[at - 1] ?? 0) >= INTERVAL_MS - 1e-3, `turns of ${turns.join(' ')}`);
    }
    // Each start uses up a past turn: at no time have more requests started than turns had passed.
    for (const [at, start] of starts.entries()) {
      const turn = turns[at] ?? Infinity;
      assert.ok(start >= turn - CLOCKS_DIFFER_MS, `start ${at} came ${turn - start} ms before its turn`);
    }
    // How many turns a busy machine misses is unknown; all others must follow each other without a gap.
    const gaps = turns.slice(1).map((turn, at) => turn - (turns[at] ?? 0));
    assert.ok(Math.min(...gaps) < INTERVAL_MS + 1e-3, `gaps of ${gaps.join(' ')} ms`);
  });
});

test('slots of a killed process are released', async () => {
  const use: Parameters<typeof fleet>[1] = async ([victim, other], messages, waitFor) => {
    victim?.send({ kind: 'keep', host: 'capped.org' });
    await waitFor('start', 2);
    victim?.kill('SIGKILL');
    other?.send({ kind: 'race', host: 'capped.org', times: 2, holdMs: 1 });
    await waitFor('raced', 1);
    assert.equal(messages.filter(({ kind }) => kind === 'end').length, 2);
  };
  await fleet(2, use, 1_200);
});

test('all processes obey a hold within 100 ms of the server reporting it', async () => {
  await fleet(8, async ([first], messages, waitFor) => {
    const tries: string[] = [];
    let isKept = false;
    // The machine may pause a process at any time, so the test repeats until every process received a hold in time.
    for (let attempt = 0; attempt < HELD_HOSTS && !isKept; attempt += 1) {
      const host = heldHost(attempt);
      first?.send({ kind: 'hold', host });
      await waitFor('seen', 8 * (attempt + 1));
      await waitFor('control', 8 * (attempt + 1));
      const about = messages.filter((each) => each.host === host);
      const controls = new Map(about.filter(({ kind }) => kind === 'control').map(({ pid, at }) => [pid, at]));
      // A bare connection of each process receives the same message: delays up to then are the server's and the
      // machine's.
      const delays = about
        .filter(({ kind }) => kind === 'seen')
        .map(({ at, pid }) => at - (controls.get(pid) ?? Infinity));
      assert.deepEqual([delays.length, controls.size], [8, 8]);
      // The spread of eight bare connections shows how long anything waits on this machine.
      const spread = Math.max(...controls.values()) - Math.min(...controls.values());
      isKept = delays.every((delay) => delay < Math.max(100, spread));
      tries.push(`${delays.join(' ')} ms beside ${spread} ms`);
    }
    assert.ok(isKept, tries.join('\n'));
  });
});
