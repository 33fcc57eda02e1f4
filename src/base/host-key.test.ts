import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hostKey } from './host-key.ts';

test('every spelling of a host has the same key', () => {
  const same: Record<string, readonly string[]> = {
    'example.org': [
      'http://EXAMPLE.org',
      'https://example.org:443/x',
      'http://example.org:80',
      'https://user:secret@example.org/',
      'https://example.org./',
    ],
    'example.org:8080': ['http://example.org:8080/', 'https://Example.ORG:8080'],
    'xn--bcher-kva.example': ['https://bücher.example/', 'https://BÜCHER.example', 'https://xn--bcher-kva.example'],
    '[2001:db8::1]': ['http://[2001:DB8:0:0:0:0:0:1]/', 'http://[2001:db8::0001]:80'],
    '127.0.0.1': ['http://0x7f.1/', 'http://2130706433/', 'http://127.0.0.1'],
  };
  for (const [key, urls] of Object.entries(same)) for (const url of urls) assert.equal(hostKey(url), key, url);
  for (const url of ['', 'example.org', '/path', 'mailto:a@b.org'])
    assert.throws(() => hostKey(url), { code: 'URL_WITHOUT_HOST' });
});
