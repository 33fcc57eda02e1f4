import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AppError, errorInfo } from './errors.ts';

test('any thrown value has a code and a message', () => {
  assert.deepEqual(errorInfo(new AppError('A_CODE', 'what happened')), { code: 'A_CODE', message: 'what happened' });
  assert.deepEqual(errorInfo(new TypeError('no'), 'FALLBACK'), { code: 'FALLBACK', message: 'no' });
  assert.deepEqual(errorInfo('just text'), { code: 'UNEXPECTED', message: 'just text' });
  assert.deepEqual(errorInfo(undefined), { code: 'UNEXPECTED', message: 'undefined' });
});
