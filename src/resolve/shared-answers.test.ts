import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Fact, Facts } from '../hosts/index.ts';
import type { HttpResponse } from '../http/index.ts';
import type { Lookup } from '../works/index.ts';
import { SharedAnswers } from './lookups.ts';

const found = (value: string): Lookup<string> => ({ kind: 'found', value, response: {} as HttpResponse });
const away: Lookup<string> = { kind: 'problem', reason: 'failed', message: 'reset', status: undefined };

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
  const machines = [1, 2, 3].map(() => new SharedAnswers(facts));
  const ask = async (): Promise<Lookup<string>> => {
    asked += 1;
    await new Promise(setImmediate);
    return found('DataCite');
  };
  const all = machines.flatMap((machine) => [
    machine.find('10.5555', ask, caller),
    machine.find('10.5555', ask, caller),
  ]);
  assert.deepEqual(
    (await Promise.all(all)).map((answer) => answer.kind === 'known' && answer.text),
    Array.from({ length: 6 }, () => 'DataCite'),
  );
  for (const machine of machines) await machine.find('10.5555', ask);
  assert.equal(asked, 1);
  assert.equal(waits, 3, 'who only waits gives up its worker');
});

test('a failed query is reported and repeated; an aborted one does not wait', async () => {
  const answers = [away, found('Crossref')];
  const shared = new SharedAnswers(undefined);
  const ask = async (): Promise<Lookup<string>> => answers.shift() ?? away;
  assert.deepEqual(await shared.find('10.1', ask), away);
  assert.deepEqual(await shared.find('10.1', ask), { kind: 'known', text: 'Crossref' });
  const silent = (): Promise<Lookup<string>> => new Promise(() => undefined);
  await assert.rejects(shared.find('10.2', silent, undefined, AbortSignal.abort(new Error('stopping'))), /stopping/);
});

test('a fleet without its shared store queries individually', async () => {
  const facts: Facts = { once: () => Promise.reject(new Error('the database is away')) };
  const shared = new SharedAnswers(facts);
  assert.deepEqual(await shared.find('10.1', async () => found('DataCite')), { kind: 'known', text: 'DataCite' });
});
