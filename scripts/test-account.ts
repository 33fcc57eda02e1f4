import type { TestEvent } from 'node:test/reporters';

/** A reporter that says in one line how many tests were skipped and why. */
export async function* testAccount(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const reasons = new Map<string, number>();
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { skip } = event.data;
    if (skip === undefined || skip === false) continue;
    const why = typeof skip === 'string' && skip !== '' ? skip : 'no reason was given';
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
  }
  if (reasons.size === 0) return;
  const count = [...reasons.values()].reduce((sum, tests) => sum + tests, 0);
  const why = [...reasons].map(([reason, tests]) => `${tests} because ${reason}`).join('; ');
  yield `${count} ${count === 1 ? 'test was' : 'tests were'} skipped: ${why}\n`;
}
