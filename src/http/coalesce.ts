import { cacheKey } from './cache.ts';
import type { HttpResult, Wrap } from './send.ts';
import type { Caller } from './with-admission.ts';

interface Flight {
  readonly result: Promise<HttpResult>;
  readonly controller: AbortController;
  passengers: number;
}

/** Lets identical questions that are asked at the same time share one request and one answer. */
export function withCoalescing(caller: Caller): Wrap {
  const flights = new Map<string, Flight>();
  return (next) => (request, signal) => {
    if ((request.method ?? 'GET') !== 'GET' || request.sink || request.cache === 'bypass' || request.jar) {
      return next(request, signal);
    }
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const headers = Object.entries(request.headers ?? {}).map(([name, value]) => `${name.toLowerCase()}:${value}`);
    const key = [cacheKey(request), request.robots ?? 'obey', ...headers.sort()].join('\n');
    let flight = flights.get(key);
    if (!flight) {
      const controller = new AbortController();
      const result = next(request, controller.signal).finally(() => {
        if (flights.get(key)?.controller === controller) flights.delete(key);
      });
      flight = { result, controller, passengers: 0 };
      flights.set(key, flight);
    }
    const boarded = flight;
    const isFirst = boarded.passengers === 0;
    boarded.passengers += 1;
    const fly = (): Promise<HttpResult> =>
      new Promise((resolve, reject) => {
        const leave = (): void => {
          boarded.passengers -= 1;
          reject(signal?.reason as Error);
          if (boarded.passengers > 0) return;
          // Nobody waits for it any more; whoever asks next starts anew.
          if (flights.get(key) === boarded) flights.delete(key);
          boarded.controller.abort(signal?.reason);
        };
        signal?.addEventListener('abort', leave, { once: true });
        boarded.result.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
      });
    // Whoever asked first works for the others, who only wait.
    return isFirst ? fly() : caller.whileWaiting(fly);
  };
}
