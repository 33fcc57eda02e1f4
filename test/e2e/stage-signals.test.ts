import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import type { StageOptions, StageOutcome } from '../../src/stage/index.ts';
import { Workspace } from '../fixtures/stage/workspace.ts';

const PROGRAM = fileURLToPath(new URL('../fixtures/stage/signal-program.ts', import.meta.url));

/** A stage in its own process group, as started by a terminal, and the lines it prints. */
class Started {
  readonly child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #exit: Promise<number | null>;
  #notify: (() => void) | undefined;

  constructor(workspace: Workspace, options: Partial<StageOptions>) {
    const given = { ...workspace.options, handleSignals: true, workers: 2, ...options };
    this.child = spawn(process.execPath, [PROGRAM, JSON.stringify(workspace.items(6)), JSON.stringify(given)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    assert.ok(this.child.stdout);
    createInterface(this.child.stdout).on('line', (line) => {
      this.#lines.push(line);
      this.#notify?.();
    });
    this.#exit = new Promise((resolve) => {
      this.child.on('close', (code) => {
        resolve(code);
        this.#notify?.();
      });
    });
  }

  async printed(pattern: RegExp, count = 1): Promise<void> {
    while (this.#lines.filter((line) => pattern.test(line)).length < count) {
      assert.equal(this.child.exitCode, null, `ended without printing ${pattern}: ${this.#lines.join(' | ')}`);
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    }
  }

  /** Sends a signal to the whole group, as Ctrl-C does. */
  signal(name: NodeJS.Signals): void {
    process.kill(-(this.child.pid ?? 0), name);
  }

  async end(): Promise<{ readonly code: number | null; readonly outcome: StageOutcome }> {
    const code = await this.#exit;
    return { code, outcome: JSON.parse(this.#lines.at(-1) ?? '{}') as StageOutcome };
  }
}

for (const [signal, options] of [
  ['SIGINT', { policy: 'io' }],
  ['SIGTERM', { policy: 'io' }],
  ['SIGINT', { policy: 'cpu' }],
] as const) {
  test(`${signal} sets the cancel flag with policy ${options.policy}: no new submissions, inflight tasks complete, cancelled is returned`, async () => {
    using workspace = new Workspace();
    const stage = new Started(workspace, options);
    await stage.printed(/^begun/, 2);
    stage.signal(signal);
    await stage.printed(/^stopping/);
    writeFileSync(workspace.input('go'), '');
    const { code, outcome } = await stage.end();
    assert.equal(code, 130);
    assert.deepEqual(
      [outcome.cancelled, outcome.stopReason, outcome.succeeded, outcome.failed, outcome.unfinished],
      [true, signal, 2, 0, 4],
    );
    assert.deepEqual(
      workspace.rows().map(({ doc_id, status }) => `${doc_id} ${status}`),
      ['doc0000 success', 'doc0001 success'],
    );
    assert.deepEqual(workspace.leftovers(), []);
  });
}

for (const options of [{ policy: 'io', abortGraceS: 0 }, { policy: 'cpu' }] as const) {
  test(`a second signal aborts running items with policy ${options.policy}, safely`, async () => {
    using workspace = new Workspace();
    const stage = new Started(workspace, options);
    await stage.printed(/^begun/, 2);
    stage.signal('SIGINT');
    await stage.printed(/^stopping/);
    stage.signal('SIGINT');
    const { code, outcome } = await stage.end();
    assert.equal(code, 130);
    assert.deepEqual([outcome.cancelled, outcome.succeeded, outcome.unfinished], [true, 0, 6]);
    assert.deepEqual(workspace.rows(), []);
    assert.deepEqual(workspace.leftovers(), []);
  });
}
