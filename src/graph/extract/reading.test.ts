import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sentencesOf } from './reading.ts';

function shown(text: string): string[] {
  return sentencesOf(text).map(({ start, end }) => text.slice(start, end));
}

test('sentences end at full stops and superscript numbers after them, but not inside numbers and names', () => {
  assert.deepEqual(
    shown('It set in at 4.75 V, as seen. Others agree.12,13 We do (see Fig. 2). J. Smith et al. Did not.'),
    ['It set in at 4.75 V, as seen.', 'Others agree.12,13', 'We do (see Fig. 2).', 'J. Smith et al. Did not.'],
  );
});

test('sentences end at the full stops of other languages', () => {
  for (const sentences of [
    ['Murieron catorce el primer año.', 'Los demás volvieron.', '¿Cuántos eran?', '¿Quién lo sabe?'],
    ['Le réchauffement dura une année.', 'Les coraux ont blanchi.'],
    ['توفي 14 مريضا.', 'عاد بقية المرضى؟', 'نعم.'],
    ['После операции умерло 14.', 'Остальные выписаны.'],
  ])
    assert.deepEqual(shown(sentences.join(' ')), sentences);
  assert.deepEqual(shown('珊瑚白化。水温上升！'), ['珊瑚白化。', '水温上升！']);
});
