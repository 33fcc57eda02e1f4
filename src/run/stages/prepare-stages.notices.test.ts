import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ItemOutcome, WorkItem } from '../../stage/index.ts';
import { documentNotices } from './prepare-stages.ts';

function notices(modelIsEnglish: boolean, outcomes: readonly ItemOutcome[]): string[] {
  const collected = documentNotices(modelIsEnglish);
  outcomes.forEach((outcome, at) => collected.note({ itemId: `d${at}` } as WorkItem, outcome));
  return collected.warnings();
}

const parsed = (language: string | null): ItemOutcome => ({ status: 'success', manifest: { language } });

test('documents in languages unknown to the model are reported once, by language', () => {
  const [warning, ...others] = notices(true, [parsed('en'), parsed('de'), parsed('fr'), parsed('de'), parsed(null)]);
  assert.match(warning ?? '', /^3 documents are not in English \(de 2, fr 1\)/);
  assert.deepEqual(others, []);
  assert.deepEqual(notices(false, [parsed('de')]), [], 'another model may know it');
  assert.deepEqual(notices(true, [parsed('en'), parsed(null)]), []);
});

test('scans without text are counted', () => {
  const [warning] = notices(true, [{ status: 'skip', reason: 'needs-ocr' }, parsed('en')]);
  assert.match(warning ?? '', /^1 document \(d0\) is a scan without text/);
});
