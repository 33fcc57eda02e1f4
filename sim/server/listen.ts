import type { Server } from 'node:http';

import { AppError } from '../../src/base/index.ts';

/** Starts listening and answers the port; 0 lets the system choose. */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port > 65_535 ? 0 : port, host, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new AppError('SIM_NO_PORT', `no port on ${host}`));
      else resolve(address.port);
    });
  });
}
