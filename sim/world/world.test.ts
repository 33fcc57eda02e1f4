import assert from 'node:assert/strict';
import { test } from 'node:test';

import { orcid } from './identifiers.ts';
import type { Work, WorldParameters } from './types.ts';
import { archetypeOf } from './work.ts';
import { World } from './world.ts';

const SMALL: WorldParameters = { seed: 7, works: 1_000, hosts: 60, profile: 'realistic' };
const world = new World(SMALL);
const works = [...world.works()];
const share = (fits: (work: Work) => boolean): number => works.filter(fits).length / works.length;

test('equal parameters give equal worlds, and another seed a different one', () => {
  assert.equal(new World(SMALL).identity, world.identity);
  assert.notEqual(new World({ ...SMALL, seed: 8 }).identity, world.identity);
  assert.notEqual(new World({ ...SMALL, profile: 'calm' }).identity, world.identity);
});

test('a work is the same regardless of earlier requests', () => {
  const other = new World(SMALL);
  const backwards = Array.from({ length: SMALL.works }, (_, at) => other.work(SMALL.works - 1 - at)).toReversed();
  assert.deepEqual(backwards, works);
});

test('a larger world keeps its first works, except for the choice of authors', () => {
  const larger = new World({ ...SMALL, works: 1_500 });
  for (const work of works.slice(0, 50))
    assert.deepEqual({ ...larger.work(work.index), authors: [] }, { ...work, authors: [] });
});

test('the archetypes have exact shares in every thousand works, for any seed', () => {
  for (const seed of [1, 7, 20]) {
    const counts = new Map<string, number>();
    for (let index = 0; index < 1_000; index += 1) {
      const archetype = archetypeOf(seed, index, 'calm');
      counts.set(archetype, (counts.get(archetype) ?? 0) + 1);
    }
    const shares = [
      'A1',
      'A2',
      'A3',
      'A4',
      'A5',
      'A6',
      'A7',
      'A8-hal',
      'A9-osf',
      'A10',
      'A11',
      'A12',
      'A13',
      'A14',
    ].map((name) => counts.get(name));
    assert.deepEqual(shares, [200, 130, 90, 90, 90, 20, 40, 15, 15, 20, 20, 30, 100, 50]);
    assert.equal(counts.size, 20);
  }
});

test('the record is as inconsistent as the real one', () => {
  assert.ok(share(({ doi }) => doi === null) > 0.02);
  assert.ok(share(({ isRetracted }) => isRetracted) > 0.01);
  assert.ok(share(({ language }) => language !== 'en') > 0.03);
  assert.ok(share(({ hasAbstract }) => !hasAbstract) > 0.02);
  assert.ok(share(({ authors }) => authors.length === 300) > 0);
  assert.ok(share(({ duplicateOf }) => duplicateOf !== null) > 0.005);
  const shown = works.flatMap(({ doiAsShown }) => doiAsShown ?? []);
  for (const nasty of [/#/, /%/, /\/\//, /<.*>/, /\.$/, /\/J\d/, /\?/])
    assert.ok(
      shown.some((doi) => nasty.test(doi)),
      `no DOI with ${nasty}`,
    );
});

test('every identifier maps back to its work', () => {
  for (const work of works) {
    assert.equal(world.byId(work.id)?.index, work.index);
    if (work.doi !== null) assert.equal(world.byDoi(work.doiAsShown ?? '')?.index, work.duplicateOf ?? work.index);
    if (work.arxivId !== null) assert.equal(world.byArxiv(work.arxivId)?.index, work.index);
    if (work.pmcid !== null) assert.equal(world.byPmcid(work.pmcid)?.index, work.index);
    if (work.pmid !== null) assert.equal(world.byPmid(work.pmid)?.index, work.index);
    for (const { url } of work.locations)
      if (!url.includes('osf.io') && !url.includes('arxiv') && !url.includes('openalex'))
        assert.ok(world.namedIn(url).includes(work), url);
  }
});

test('ORCID iDs have the ISO 7064 check digit', () => {
  assert.equal(orcid(0), '0009-0000-0000-0009');
  for (const index of [0, 1, 17, 4_711]) {
    const digits = orcid(index).replaceAll('-', '');
    let total = 0;
    for (const digit of digits.slice(0, 15)) total = (total + Number(digit)) * 2;
    const check = (12 - (total % 11)) % 11;
    assert.equal(digits[15], check === 10 ? 'X' : String(check));
    assert.match(orcid(index), /^0009-\d{4}-\d{4}-\d{3}[\dX]$/);
  }
});

test('few hosts have most files', () => {
  const counts = new Map<string, number>();
  for (const { locations } of works)
    for (const { host } of locations) if (world.host(host)) counts.set(host, (counts.get(host) ?? 0) + 1);
  const sorted = [...counts.values()].sort((a, b) => b - a);
  const all = sorted.reduce((sum, count) => sum + count, 0);
  assert.ok(sorted.slice(0, 6).reduce((sum, count) => sum + count, 0) / all > 0.4);
});

test('citations refer to earlier works, a few to works outside the world', () => {
  for (const work of works) for (const cited of work.references) assert.ok(cited < work.index);
  assert.ok(works.some(({ danglingReferences }) => danglingReferences.length > 0));
  const mean = works.reduce((sum, work) => sum + work.references.length, 0) / works.length;
  assert.ok(mean > 12 && mean < 26, `mean ${mean}`);
});
