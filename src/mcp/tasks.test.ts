import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { isCreateTaskResultV2, isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';

import { writeSmallRun } from '../../test/fixtures/small-run.ts';
import { openCorpus } from '../corpus/index.ts';
import type { AskedRun } from '../questions/index.ts';
import { askedRun } from '../questions/index.ts';
import { createMcp } from './index.ts';

/** A search that waits until it is let go. */
let slow: AskedRun;
let letGo = (): void => undefined;
const opened = new AsyncDisposableStack();

before(async () => {
  const folder = opened.use(await mkdtempDisposable(join(tmpdir(), 'mcp-tasks-')));
  await writeSmallRun(join(folder.path, 'reefs'), { graph: false });
  const corpus = opened.use(await openCorpus(join(folder.path, 'reefs')));
  const run = opened.use(askedRun('reefs', corpus, () => undefined));
  slow = {
    ...run,
    search: {
      use: async (work) => {
        await new Promise<void>((resolve) => {
          letGo = resolve;
        });
        return run.search.use(work);
      },
    },
  };
});
after(() => opened.disposeAsync());

interface Params {
  readonly name?: string;
  readonly arguments?: object;
  readonly taskId?: string;
}

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Asks as a client of 2026-07-28 does, and returns what is answered. */
function asking(capabilities: object) {
  const { fetch, ...mcp } = createMcp({ runs: [slow], version: '0', longMs: 50 });
  opened.defer(() => mcp[Symbol.asyncDispose]());
  return async (method: string, params: Params): Promise<Record<string, unknown>> => {
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
}

const SEARCH = { name: 'search', arguments: { question: 'do reefs recover?' } };

test('a call that takes long is answered with a task, and the task with what the call would have answered', async () => {
  const ask = asking(TASKS);
  const { capabilities } = await ask('server/discover', {});
  assert.deepEqual((capabilities as { extensions: unknown }).extensions, TASKS.extensions);
  const task = await ask('tools/call', SEARCH);
  assert.ok(isCreateTaskResultV2(task), JSON.stringify(task));
  assert.equal(task.status, 'working');
  const { taskId } = task;
  const working = await ask('tasks/get', { taskId });
  assert.ok(isDetailedTaskV2(working) && working.status === 'working');
  letGo();
  let done: Record<string, unknown> = { ...working };
  for (let turn = 0; done['status'] === 'working' && turn < 200; turn += 1) {
    await delay(20);
    done = await ask('tasks/get', { taskId });
  }
  assert.ok(isDetailedTaskV2(done), JSON.stringify(done));
  const { resultType, result } = done as unknown as { resultType: string; result: unknown };
  assert.equal(resultType, 'complete');
  const answer = result as { content: { text: string }[]; isError?: boolean };
  assert.match(answer.content[0]?.text ?? '', /corals|reefs/i);
  assert.notEqual(answer.isError, true);
});

test('a task that is cancelled stays so; one that nobody made is an error', async () => {
  const ask = asking(TASKS);
  const { taskId } = (await ask('tools/call', SEARCH)) as { taskId: string };
  assert.equal((await ask('tasks/cancel', { taskId }))['resultType'], 'complete');
  letGo();
  const { status, result } = await ask('tasks/get', { taskId });
  assert.deepEqual([status, result], ['cancelled', undefined]);
  const { error } = (await ask('tasks/get', { taskId: 'other' })) as { error: { code: number; message: string } };
  assert.equal(error.code, -32_602);
  assert.match(error.message, /no task other/);
});

test('a client that cannot come back waits for the answer, and may not ask for tasks', async () => {
  const ask = asking({});
  setTimeout(() => letGo(), 200);
  const { content, taskId } = await ask('tools/call', SEARCH);
  assert.equal(taskId, undefined);
  assert.equal((content as unknown[]).length, 1);
  const { error } = (await ask('tasks/get', { taskId: 'any' })) as { error: { code: number } };
  assert.equal(error.code, -32_021);
});
