import type { ChildProcess } from 'node:child_process';
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { accepting, freePort } from '../kit/started-server.ts';

/** A server of static files in a process of its own. */
export interface StaticServer extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
}

/** nginx where it is installed; else a small server of our own, which takes more of the machine from the clients. */
export async function serveFolder(folder: string, scratch: string): Promise<StaticServer> {
  const version = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
  return version.status === 0
    ? serveWithNginx(folder, scratch, version.stderr.trim().replace('nginx version: ', ''))
    : serveWithNode(folder);
}

async function serveWithNginx(folder: string, scratch: string, name: string): Promise<StaticServer> {
  const port = await freePort();
  const temporary = join(scratch, 'nginx');
  mkdirSync(temporary, { recursive: true });
  const path = (kind: string): string => `${kind}_temp_path ${join(temporary, kind)};`;
  writeFileSync(
    join(temporary, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
daemon off;
pid ${join(temporary, 'nginx.pid')};
error_log ${join(temporary, 'error.log')};
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  keepalive_timeout 600;
  types { application/pdf pdf; }
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(path).join('\n  ')}
  server { listen 127.0.0.1:${port} backlog=1024; root ${folder}; }
}
`,
  );
  const child = spawn('nginx', ['-p', temporary, '-c', join(temporary, 'nginx.conf')], { stdio: 'ignore' });
  await accepting(port, child);
  return { name, port, [Symbol.asyncDispose]: () => ended(child) };
}

async function serveWithNode(folder: string): Promise<StaticServer> {
  const child = fork(join(import.meta.dirname, 'node-server.ts'), [folder]);
  const [port] = (await once(child, 'message')) as [number];
  return { name: `Node ${process.version} (nginx is not installed)`, port, [Symbol.asyncDispose]: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
