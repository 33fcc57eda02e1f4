import type { Server } from 'node:http';

import { AppError } from '../../src/base/index.ts';

/** Starts listening and returns the port; 0 picks a free one. */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen(port > 65_535 ? 0 : port, host, () => {
      server.removeAllListeners('error');
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new AppError('SIM_NO_PORT', `no port on ${host}`));
      else resolve(address.port);
    });
  });
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') return error;
  const why = error.code === 'EACCES' ? 'may not be used by you' : 'is taken by another program';
  return new AppError('USAGE_PORT', `port ${port} on ${host} ${why}`, {
    hint: 'choose another with --port or --admin-port, or 0 for a free one',
    cause: error,
  });
}
