import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemClock } from '../base/index.ts';
import type { Fact, Facts } from '../hosts/index.ts';
import type { HttpResponse } from '../http/index.ts';
import type { Lookup } from '../works/index.ts';
import { Lookups, Services } from './index.ts';

const found = (value: string): Lookup<string> => ({ kind: 'found', value, response: {} as HttpResponse });
const away: Lookup<string> = { kind: 'problem', reason: 'failed', message: 'reset', status: undefined };

const lookupsOf = (facts?: Facts): Lookups =>
  new Lookups(() => assert.fail('nothing is sent'), new Services(), systemClock, facts);

/** Facts shared by a fleet: one process finds out, the others read the result. */
function fleetMemory(): Facts {
  const facts = new Map<string, Promise<Fact>>();
  return {
    async once(key, find) {
      const known = facts.get(key) ?? find(new AbortController().signal);
      facts.set(key, known);
      await known.catch(() => facts.delete(key));
      return known;
    },
  };
}

test('machines of a fleet send the same query once, and later ones reuse the result', async () => {
  const facts = fleetMemory();
  let [waits, asked] = [0, 0];
  const caller = {
    asks: () => undefined,
    whileWaiting: <T>(wait: () => Promise<T>): Promise<T> => {
      waits += 1;
      return wait();
    },
  };
  const machines = [1, 2, 3].map(() => lookupsOf(facts));
  const ask = async (): Promise<Lookup<string>> => {
    asked += 1;
    await new Promise(setImmediate);
    return found('DataCite');
  };
  const all = machines.flatMap((machine) => [
    machine.withCaller(caller).sharedAnswer('10.5555', ask),
    machine.withCaller(caller).sharedAnswer('10.5555', ask),
  ]);
  assert.deepEqual(
    (await Promise.all(all)).map((answer) => answer.kind === 'known' && answer.text),
    Array.from({ length: 6 }, () => 'DataCite'),
  );
  for (const machine of machines) await machine.sharedAnswer('10.5555', ask);
  assert.equal(asked, 1);
  assert.equal(waits, 3, 'a waiting query frees its worker');
});

test('a failed query is reported and repeated; an aborted one does not wait', async () => {
  const answers = [away, found('Crossref')];
  const shared = lookupsOf();
  const ask = async (): Promise<Lookup<string>> => answers.shift() ?? away;
  assert.deepEqual(await shared.sharedAnswer('10.1', ask), away);
  assert.deepEqual(await shared.sharedAnswer('10.1', ask), { kind: 'known', text: 'Crossref' });
  const silent = (): Promise<Lookup<string>> => new Promise(() => undefined);
  await assert.rejects(shared.sharedAnswer('10.2', silent, AbortSignal.abort(new Error('stopping'))), /stopping/);
});

test('a fleet without its shared store queries individually', async () => {
  const facts: Facts = { once: () => Promise.reject(new Error('the database is away')) };
  const shared = lookupsOf(facts);
  assert.deepEqual(await shared.sharedAnswer('10.1', async () => found('DataCite')), {
    kind: 'known',
    text: 'DataCite',
  });
});
