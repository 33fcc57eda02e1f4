import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { isCreateTaskResultV2, isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';

import { writeSmallRun } from '../../test/fixtures/small-run.ts';
import type { SearchSession } from '../corpus/index.ts';
import { openCorpus } from '../corpus/index.ts';
import type { AskedRun } from '../questions/index.ts';
import { askedRun } from '../questions/index.ts';
import { HeldClock } from '../testing/index.ts';
import { createMcp } from './index.ts';

/** Where a search waits until it is let go, or stopped. */
class Gate {
  readonly begun = Promise.withResolvers<void>();
  readonly open = Promise.withResolvers<void>();
  isStopped = false;

  async pass(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => {
      this.isStopped = true;
      this.open.reject(signal.reason as Error);
    });
    this.begun.resolve();
    await this.open.promise;
  }
}

let run: AskedRun;
const opened = new AsyncDisposableStack();

before(async () => {
  const folder = opened.use(await mkdtempDisposable(join(tmpdir(), 'mcp-tasks-')));
  await writeSmallRun(join(folder.path, 'reefs'), { graph: false });
  const corpus = opened.use(await openCorpus(join(folder.path, 'reefs')));
  run = opened.use(askedRun('reefs', corpus, () => undefined));
});
after(() => opened.disposeAsync());

function searchingThrough(gate: Gate): AskedRun {
  return {
    ...run,
    search: {
      use: (work) =>
        run.search.use((session) => {
          const { mode, passages } = session;
          const search: SearchSession['search'] = async (words, chosen, signal) => {
            await gate.pass(signal ?? new AbortController().signal);
            return session.search(words, chosen, signal);
          };
          return work({ mode, passages, search } as SearchSession);
        }),
    },
  };
}

interface Params {
  readonly name?: string;
  readonly arguments?: object;
  readonly taskId?: string;
}

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Asks as a client of 2026-07-28 does, and returns what is answered. */
function asking(capabilities: object) {
  const [clock, gate] = [new HeldClock(), new Gate()];
  const { fetch, ...mcp } = createMcp({ runs: [searchingThrough(gate)], version: '0', clock });
  opened.defer(() => mcp[Symbol.asyncDispose]());
  const ask = async (method: string, params: Params): Promise<Record<string, unknown>> => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
          'io.modelcontextprotocol/clientCapabilities': capabilities,
        },
      },
    };
    const response = await fetch(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          'mcp-name': params.name ?? params.taskId ?? '',
        },
        body: JSON.stringify(body),
      }),
    );
    const text = await response.text();
    const { result, error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Record<string, unknown>;
    return (result ?? { error }) as Record<string, unknown>;
  };
  /** Asks for a search, which is still at the gate three seconds later. */
  const search = async (): Promise<{ readonly answer: Promise<Record<string, unknown>> }> => {
    const answer = ask('tools/call', SEARCH);
    await gate.begun.promise;
    await clock.advance(3_000);
    return { answer };
  };
  return { ask, search, gate };
}

const SEARCH = { name: 'search', arguments: { question: 'do reefs recover?' } };

test('a call that takes long is answered with a task, and the task with what the call would have answered', async () => {
  const { ask, search, gate } = asking(TASKS);
  const { capabilities } = await ask('server/discover', {});
  assert.deepEqual((capabilities as { extensions: unknown }).extensions, TASKS.extensions);
  const task = await (await search()).answer;
  assert.ok(isCreateTaskResultV2(task), JSON.stringify(task));
  assert.equal(task.status, 'working');
  const { taskId } = task;
  let done = await ask('tasks/get', { taskId });
  assert.ok(isDetailedTaskV2(done) && done.status === 'working');
  gate.open.resolve();
  for (let turn = 0; done['status'] === 'working' && turn < 1_000; turn += 1) done = await ask('tasks/get', { taskId });
  assert.ok(isDetailedTaskV2(done), JSON.stringify(done));
  const { resultType, result } = done as unknown as { resultType: string; result: unknown };
  assert.equal(resultType, 'complete');
  const answer = result as { content: { text: string }[]; isError?: boolean };
  assert.match(answer.content[0]?.text ?? '', /corals|reefs/i);
  assert.notEqual(answer.isError, true);
});

test('cancelling a task stops its work; a task that nobody made is an error', async () => {
  const { ask, search, gate } = asking(TASKS);
  const { taskId } = (await (await search()).answer) as { taskId: string };
  assert.equal(gate.isStopped, false);
  assert.equal((await ask('tasks/cancel', { taskId }))['resultType'], 'complete');
  assert.equal(gate.isStopped, true);
  const { status, result } = await ask('tasks/get', { taskId });
  assert.deepEqual([status, result], ['cancelled', undefined]);
  const { error } = (await ask('tasks/get', { taskId: 'other' })) as { error: { code: number; message: string } };
  assert.equal(error.code, -32_602);
  assert.match(error.message, /no task other/);
});

test('a client that cannot come back waits for the answer, and may not ask for tasks', async () => {
  const { ask, search, gate } = asking({});
  const { answer } = await search();
  gate.open.resolve();
  const { content, taskId } = await answer;
  assert.equal(taskId, undefined);
  assert.equal((content as unknown[]).length, 1);
  const { error } = (await ask('tasks/get', { taskId: 'any' })) as { error: { code: number } };
  assert.equal(error.code, -32_021);
});
