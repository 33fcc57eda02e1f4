import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findProcedures } from './procedures.ts';

const said = (sentence: string): readonly string[] =>
  findProcedures(sentence).map(({ what, how }) => `${what} | ${how}`);

test('what was measured stands before the verb and the means behind it', () => {
  assert.deepEqual(said('Lassa IgM and IgG titers were measured by enzyme-linked immunosorbent assay (ELISA).'), [
    'Lassa IgM and IgG titers | enzyme-linked immunosorbent assay (ELISA)',
  ]);
  assert.deepEqual(said('Briefly, the microhardness was then measured using a Vickers tester at 25 °C.'), [
    'microhardness | Vickers tester',
  ]);
  assert.deepEqual(said('We measured viral load using PCR.'), ['viral load | PCR']);
  assert.deepEqual(said('The size was calculated using Scherrer’s formula, which was 26 nm.'), [
    'size | Scherrer’s formula',
  ]);
  assert.deepEqual(said('In addition, eco-anxiety was assessed using a scale of ten items to reduce the burden.'), [
    'eco-anxiety | scale of ten items',
  ]);
  assert.deepEqual(
    said('The oils were identified by comparing their spectra to the reference spectra and also by their indices.'),
    ['oils | comparing their spectra to the reference spectra'],
  );
  assert.deepEqual(said('Bonds were analyzed using a spectrophotometer (FT-IR) with 2 mm.'), [
    'Bonds | spectrophotometer (FT-IR) with 2 mm',
  ]);
  assert.deepEqual(said('48 hours after transfection, the efficiency was analyzed with RT-PCR.'), [
    'efficiency | RT-PCR',
  ]);
  assert.deepEqual(said('They were kept; next, domains were identified by HMMER.'), ['domains | HMMER']);
});

test('two measurements in one sentence are two', () => {
  assert.deepEqual(said('Anxiety was assessed with the GAD-7 scale and anger was assessed with the STAXI.'), [
    'Anxiety | GAD-7 scale',
    'anger | STAXI',
  ]);
  assert.deepEqual(
    said('A photometer was used for sodium, while calcium and zinc contents were determined by titration.'),
    ['calcium and zinc contents | titration'],
  );
});

test('what others measured, who measured it, and means that the sentence does not name are left out', () => {
  for (const sentence of [
    'Anxiety was assessed with the GAD-7 scale by Smith et al.',
    'Anxiety has been measured using scales.',
    'Quality was assessed by two reviewers.',
    'The dose was calculated using the formula given above.',
    'It was determined by titration.',
    'Leaves were measured with 20 mm.',
  ])
    assert.deepEqual(said(sentence), [], sentence);
});
