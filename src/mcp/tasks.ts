import { randomUUID } from 'node:crypto';

import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';

import * as z from 'zod';

import type { Clock } from '../base/index.ts';
import { systemClock, wait } from '../base/index.ts';

/** The extension of the protocol by which a client comes back for the answer of a long call. */
const TASKS = 'io.modelcontextprotocol/tasks';
const WAITS = z.object({ [CLIENT_CAPABILITIES_META_KEY]: z.object({ extensions: z.object({ [TASKS]: z.object() }) }) });

/** A call that takes longer is answered with a task. */
const LONG_MS = 3_000;
/** How often a client should ask. */
const POLL_MS = 2_000;
/** How long a task is kept, with its answer, from its beginning. */
const KEPT_MS = 30 * 60_000;
/** When so many are kept, further calls are answered as if there were no tasks. */
const MOST_KEPT = 200;

interface Task {
  readonly id: string;
  /** When it began, by the clock of durations. */
  readonly begun: number;
  readonly created: number;
  readonly stop: AbortController;
  updated: number;
  status: 'working' | 'completed' | 'cancelled';
  result?: CallToolResult;
}

/** Calls that continue after their requests were answered. They end with the process. */
export class Tasks implements Disposable {
  readonly #tasks = new Map<string, Task>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  [Symbol.dispose](): void {
    for (const { stop } of this.#tasks.values()) stop.abort();
    this.#tasks.clear();
  }

  /** The result of a call or, if it takes long and the client can come back, a task. The call must not throw. */
  async answer(
    call: (signal: AbortSignal) => Promise<CallToolResult>,
    { mcpReq: { envelope, signal: request } }: ServerContext,
  ): Promise<CallToolResult> {
    if (!WAITS.safeParse(envelope).success) return call(request);
    const stop = new AbortController();
    const stopped = (): void => stop.abort(request.reason);
    request.addEventListener('abort', stopped, { once: true });
    const called = call(stop.signal);
    const waited = new AbortController();
    const long = wait(this.#clock, LONG_MS, waited.signal).catch(() => undefined);
    const soon = await Promise.race([called, long]);
    waited.abort();
    if (soon !== undefined) return soon;
    this.#forget();
    if (this.#tasks.size >= MOST_KEPT) return called;
    // The request ends here; the call does not.
    request.removeEventListener('abort', stopped);
    const [now, begun] = [this.#clock.now(), this.#clock.monotonic()];
    const task: Task = { id: randomUUID(), begun, created: now, updated: now, stop, status: 'working' };
    this.#tasks.set(task.id, task);
    void called.then((result) => {
      if (task.status === 'working') Object.assign(task, { status: 'completed', result, updated: this.#clock.now() });
    });
    return { ...described(task), resultType: 'task', content: [] };
  }

  /** Answers questions about tasks. */
  serve({ server }: McpServer): void {
    const params = z.looseObject({ taskId: z.string().max(100) });
    const result = z.looseObject({});
    server.registerCapabilities({ extensions: { [TASKS]: {} } });
    const handle = (method: string, answer: (task: Task) => Record<string, unknown>): void =>
      server.setRequestHandler(method, { params, result }, ({ taskId }, { mcpReq }) => {
        if (WAITS.safeParse(mcpReq.envelope).success) return answer(this.#named(taskId));
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
      });
    handle('tasks/get', (task) =>
      task.status === 'completed' ? { ...described(task), result: { ...task.result } } : described(task),
    );
    handle('tasks/cancel', (task) => {
      if (task.status === 'working') {
        Object.assign(task, { status: 'cancelled', updated: this.#clock.now() });
        task.stop.abort();
      }
      return {};
    });
    // No task asks for anything.
    handle('tasks/update', () => ({}));
  }

  #named(id: string): Task {
    this.#forget();
    const task = this.#tasks.get(id);
    if (task !== undefined) return task;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `no task ${id}: it is older than ${KEPT_MS / 60_000} minutes, or of another process`,
    );
  }

  /** Ends and forgets tasks that are too old. */
  #forget(): void {
    for (const { id, begun, stop } of this.#tasks.values())
      if (this.#clock.monotonic() - begun > KEPT_MS) {
        stop.abort();
        this.#tasks.delete(id);
      }
  }
}

function described({ id, status, created, updated }: Task): Record<string, unknown> {
  return {
    taskId: id,
    status,
    createdAt: new Date(created).toISOString(),
    lastUpdatedAt: new Date(updated).toISOString(),
    ttlMs: KEPT_MS,
    pollIntervalMs: POLL_MS,
  };
}
