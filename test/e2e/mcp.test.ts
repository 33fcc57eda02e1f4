import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { writeSmallRun } from '../fixtures/small-run.ts';
import { BIN } from '../support/bin.ts';
import { command } from './command.ts';

/** Anything slower hangs. */
const SLOWLY = { timeout: 240_000 };

test('docstokg mcp answers every tool over stdio, also in the older protocol, and ends when its input closes', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'mcp-'));
  const run = join(folder.path, 'reefs');
  await writeSmallRun(run);
  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(BIN, 'docstokg'), 'mcp', run],
      stderr: 'pipe',
    });
    let printed = '';
    transport.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const faults: Error[] = [];
    const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } });
    // The client reports any output on stdout that is not a protocol message.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client is not an event target
    client.onerror = (error) => faults.push(error);
    // Closes the input, which ends the command, also when the test fails.
    await using _input = { [Symbol.asyncDispose]: () => client.close() };
    await client.connect(transport, SLOWLY);
    const questions: readonly (readonly [string, Record<string, unknown>])[] = [
      ['search', { question: 'do corals recover?' }],
      ['ask', { question: 'do corals recover?' }],
      ['check_quotes', { quotes: [{ quote: 'We counted polyps along forty transects', work: 'W1' }] }],
      ['table', {}],
      ['read', { work: 'W1', section: 'methods' }],
      ['works', { outcome: 'missing' }],
      ['cite', { works: ['W1'] }],
      ['account', {}],
      ['related', { work: 'W1' }],
      ['graph', { ask: 'neighbours', node: 'W1' }],
      ['figures', { work: 'W1' }],
      ['screening', { by: 'ada' }],
      ['notes', {}],
    ];
    const { tools } = await client.listTools({}, SLOWLY);
    assert.deepEqual(
      tools.map(({ name }) => name),
      questions.map(([name]) => name),
    );
    // Results of tools do not depend on the protocol version.
    for (const [name, asked] of mode === 'legacy' ? questions.slice(0, 4) : questions) {
      const result = await client.callTool({ name, arguments: asked }, SLOWLY);
      assert.notEqual(result.isError, true, JSON.stringify(result.content));
      assert.ok(result.structuredContent, name);
    }
    assert.ok((await client.listResources({}, SLOWLY)).resources.length > 0);
    await client.close();
    assert.deepEqual(faults, []);
    assert.match(printed, /serving reefs over stdio/);
    assert.doesNotMatch(printed, /error/i);
  }
});

test('a folder without a corpus is rejected with a hint and no output on stdout', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'mcp-'));
  const { status, stdout, stderr } = command('docstokg', ['mcp', join(folder.path, 'away')], { input: '' });
  assert.deepEqual([status, stdout], [2, '']);
  assert.match(stderr, /USAGE_RUN .*away does not exist/);
  assert.match(stderr, /hint {2}give the output folder/);
});
