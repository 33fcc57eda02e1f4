import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';

// Serves a folder until its parent goes: what stands in for nginx where that is not installed.
const folder = process.argv[2] ?? '.';
const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  const path = join(folder, (request.url ?? '').replace(/^\//, '').replaceAll('..', ''));
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': found.size });
  pipeline(createReadStream(path, { highWaterMark: 1 << 18 }), response, () => undefined);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
