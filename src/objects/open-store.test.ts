import assert from 'node:assert/strict';
import { test } from 'node:test';

import { S3_SETTINGS } from '../../test/support/object-settings.ts';
import { systemClock } from '../base/index.ts';
import { openObjects } from './index.ts';

test('invalid store addresses and a bucket without credentials are refused with a reason', () => {
  const open =
    (url: string, key = 'k') =>
    () =>
      openObjects({ ...S3_SETTINGS, access_key_id: key, url, endpoint: '' }, { clock: systemClock, state: '.' });
  assert.throws(open('gs://bucket'), { code: 'CONFIG_INVALID' });
  assert.throws(open('s3://'), { code: 'CONFIG_INVALID' });
  assert.throws(open('s3://Bad_Bucket'), { code: 'CONFIG_INVALID' });
  assert.throws(open('s3://bucket', ''), { code: 'OBJECT_STORE_CREDENTIALS' });
});
