import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Tried } from '../../test/support/try-plan.ts';
import { tryPlan, whole } from '../../test/support/try-plan.ts';

const RIGHT = `Sand that rivers carry to the sea. ${'Words of the paper. '.repeat(20)}`;

const WRONG = `Wheat that farmers grow in plains. ${'Words of the paper. '.repeat(20)}`;

/** The text that quick and close looks find in a file with this many pages, and which looks were used. */
async function inspected(found: { quick: string; close: string }, pages = 9): Promise<Tried & { looks: string[] }> {
  const looks: string[] = [];
  const tried = await tryPlan(
    {
      title: 'Sand that rivers carry to the sea',
      inspect: async (_path, _kind, look) => {
        looks.push(look);
        return { pages, isEncrypted: false, isReadable: true, text: found[look], isQuick: look !== 'close' };
      },
    },
    whole,
  );
  return { ...tried, looks };
}

test('a file that shows its title on a quick check is saved', async () => {
  for (const quick of [RIGHT, 'Sand that rivers carry to the sea']) {
    const { saved, looks } = await inspected({ quick, close: '' });
    assert.ok(saved);
    assert.deepEqual(looks, ['quick']);
  }
});

for (const [name, quick] of [
  ['another text', WRONG],
  ['no text', ''],
] as const)
  test(`a file that shows ${name} on a quick check is checked in full`, async () => {
    const kept = await inspected({ quick, close: RIGHT });
    assert.ok(kept.saved);
    assert.deepEqual(kept.looks, ['quick', 'close']);
    const refused = await inspected({ quick, close: WRONG });
    assert.deepEqual([refused.saved, refused.attempt.reason], [null, 'identity-mismatch']);
  });

test('a preview of a page or two is not the paper, even if it shows the title', async () => {
  const text = `${RIGHT} This is a preview of subscription content`;
  const { saved, attempt } = await inspected({ quick: text, close: text }, 2);
  assert.deepEqual([saved, attempt.reason], [null, 'preview-only']);
  assert.ok((await inspected({ quick: text, close: text }, 3)).saved);
});

test('a paper of two pages that mentions previews is saved', async () => {
  const text = `${RIGHT} A preview of the next decade: we look inside the cell on its first page of history`;
  assert.ok((await inspected({ quick: text, close: text }, 2)).saved);
});
