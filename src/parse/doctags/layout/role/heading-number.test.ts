import assert from 'node:assert/strict';
import { test } from 'node:test';

import { headingNumber } from './heading-number.ts';

test('all common kinds of heading numbers are read', () => {
  const depthOf = (text: string): string => {
    const number = headingNumber(text);
    return number ? `${number.style} ${number.depth} ${number.rest}` : 'none';
  };
  assert.equal(depthOf('2.3.1 Data'), 'arabic 3 Data');
  assert.equal(depthOf('1. Introduction'), 'arabic 1 Introduction');
  assert.equal(depthOf('IV. RESULTS'), 'roman 1 RESULTS');
  assert.equal(depthOf('A.2 More proofs'), 'letter 2 More proofs');
  assert.equal(depthOf('Appendix B: Tables'), 'appendix 1 Tables');
  assert.equal(depthOf('A study of rivers'), 'none');
  assert.equal(depthOf('Kapitel 3 Der Fluss'), 'arabic 1 Der Fluss');
  assert.equal(depthOf('§ 2.1 Sand'), 'arabic 2 Sand');
  assert.equal(depthOf('Chapter3 Clay'), 'arabic 1 Clay');
  assert.equal(depthOf('Water 3 Clay'), 'none');
  assert.equal(depthOf('E. coli in rivers'), 'none');
  assert.equal(depthOf('B. mRNA in rivers'), 'letter 1 mRNA in rivers');
  assert.equal(depthOf('In the beginning'), 'none');
});
