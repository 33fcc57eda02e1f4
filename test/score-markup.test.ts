import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { formatScores, scoreMarkup } from '../scripts/score-markup.ts';

const SHARED = join(import.meta.dirname, '../../shared');
const data = join(SHARED, 'data/parse/open');
const scorer = join(SHARED, 'tools/parse-score');

test(
  'JATS and HTML reach the scores that are promised',
  { skip: existsSync(data) && existsSync(scorer) ? false : `${data} or ${scorer} is absent: scores are not tested` },
  async () => {
    for (const scores of await scoreMarkup({ data, scorer })) {
      assert.ok(scores.rows.length >= 4);
      assert.ok((scores.mean['overall'] ?? 0) >= scores.target, formatScores(scores));
    }
  },
);
