import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeFont } from './pdfium-glyphs.ts';

test('font styles are read from the name first', () => {
  assert.ok(describeFont('NimbusRomNo9L-Medi', 4).bold);
  assert.ok(describeFont('CMBX12', 4).bold);
  assert.ok(!describeFont('CMR10', 4).bold);
  assert.ok(describeFont('CMTI10', 4).italic);
  assert.ok(describeFont('MinionProIt', 4).italic);
  assert.ok(!describeFont('Summit', 4).italic);
  assert.ok(describeFont('CMMI10', 4).math);
  assert.ok(describeFont('Courier', 1).monospaced);
  assert.ok(describeFont('CMCSC10', 4).smallCaps);
  // Typst sets the flag in every font that has some small capitals.
  assert.ok(!describeFont('LibertinusSerif-Regular', 1 << 17).smallCaps);
});
