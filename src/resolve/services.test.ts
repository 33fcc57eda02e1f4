import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { AppError } from '../base/index.ts';
import { baseUrlsBelow, Services } from './index.ts';

test('service limits stay within the documented ones, and move with their hosts', () => {
  const pools = new Services({ baseUrls: baseUrlsBelow('sim.test', 'http') }).pools();
  const pool = (name: string): NonNullable<(typeof pools)[number]> => {
    const found = pools.find((each) => each.name === name);
    assert.ok(found, name);
    return found;
  };
  assert.deepEqual(pool('arxiv').hosts, [
    'export.arxiv.org.sim.test',
    'arxiv.org.sim.test',
    'www.arxiv.org.sim.test',
    'oaipmh.arxiv.org.sim.test',
  ]);
  assert.equal(pool('arxiv').strict, true);
  assert.deepEqual([pool('arxiv').perSecond, pool('arxiv').burst, pool('arxiv').concurrency], [1 / 3, 1, 1]);
  assert.deepEqual(pool('biorxiv_sites').hosts, ['www.biorxiv.org.sim.test', 'www.medrxiv.org.sim.test']);
  assert.deepEqual(pool('zenodo_search').hosts, []);
  for (const [name, perHour] of [
    ['osf', 100],
    ['openaire', 60],
  ] as const) {
    assert.ok((pool(name).burst ?? 1) + pool(name).perSecond * 3600 <= perHour, name);
  }
  const DAY = 86_400;
  const keyed = new Services({ keys: { osf: 'k', springer_nature: 'k', elsevier: 'k', wiley: 'k' } }).pools();
  for (const [name, most, seconds] of [
    ['unpaywall', 100_000, DAY],
    ['osf', 10_000, DAY],
    ['springer_nature', 500, DAY],
    ['wiley_tdm', 60, 600],
    ['elsevier_tdm', 50_000, 7 * DAY],
    ['datacite', 1_000, 300],
  ] as const) {
    const { burst = 1, perSecond } = keyed.find((each) => each.name === name) ?? pool(name);
    assert.ok(burst + perSecond * seconds <= most, `${name}: ${most} in ${seconds} s`);
  }
  for (const [name, perMinute] of [
    ['zenodo_search', 30],
    ['wayback_cdx', 30],
    ['core', 10.5],
  ] as const) {
    assert.ok((pool(name).burst ?? 1) - 1 + pool(name).perSecond * 60 <= perMinute, name);
  }
  assert.equal(
    new Services({ keys: { semantic_scholar: 'k' } }).pools().find(({ name }) => name === 'semantic_scholar')
      ?.perSecond,
    1,
  );
  assert.throws(() => new Services({ baseUrls: { hal: 'ftp://x' } }), { code: 'SERVICE_URL' });
});

test('an unknown service in base_urls is rejected with a suggestion', () => {
  const misspelt = { baseUrls: { opanalex: 'https://mirror.example/' } as object };
  assert.throws(
    () => new Services(misspelt),
    (error: AppError) => {
      assert.equal(error.code, 'CONFIG_SERVICE_UNKNOWN');
      assert.match(error.message, /"opanalex"/);
      assert.match(error.hint ?? '', /did you mean openalex\?/);
      return true;
    },
  );
});
