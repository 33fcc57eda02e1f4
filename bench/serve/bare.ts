import { createServer } from 'node:http';

// A server that answers everything with the bytes it was given: what node:http itself costs.
const body = Buffer.from(process.argv[2] ?? '', 'base64');
createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}).listen(Number(process.env['BENCH_PORT']), '127.0.0.1');
