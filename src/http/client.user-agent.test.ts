import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loopbackClient, openLoopback } from '../testing/index.ts';
import { requireContact } from './index.ts';

test('the User-Agent has our name and a contact', async () => {
  await using server = await openLoopback((_request, response) => void response.end());
  await using client = loopbackClient(server, { contact: 'someone@university.edu' });
  await client.send({ url: new URL('http://host.test/') });
  assert.match(
    server.requests[0]?.headers['user-agent'] ?? '',
    /^DocsToKG-TS\/\d+\.\d+\.\d+ \(\+https:\/\/\S+; mailto:someone@university\.edu\)$/,
  );
});

test('a contact must be a real address', () => {
  assert.equal(requireContact(' someone@university.edu '), 'someone@university.edu');
  for (const text of [undefined, '', 'someone', 'you@example.com', 'your_email@university.edu', 'a b@c.de', 'x@y']) {
    assert.throws(() => requireContact(text), { code: 'CONTACT_MISSING' }, String(text));
  }
});
