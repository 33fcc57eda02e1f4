import { isShareable, requestKey } from './cache.ts';
import type { HttpResult, Wrap } from './send.ts';
import { whileWaiting } from './send.ts';

interface SharedRequest {
  readonly result: Promise<HttpResult>;
  readonly controller: AbortController;
  askers: number;
}

/** Identical concurrent requests share one response. */
export function withCoalescing(): Wrap {
  const underway = new Map<string, SharedRequest>();
  return (next) => (request, signal) => {
    if (!isShareable(request) || request.jar) return next(request, signal);
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const key = `${request.robots ?? 'obey'} ${requestKey(request)}`;
    let known = underway.get(key);
    if (!known) {
      const controller = new AbortController();
      const result = next(request, controller.signal).finally(() => {
        if (underway.get(key)?.controller === controller) underway.delete(key);
      });
      known = { result, controller, askers: 0 };
      underway.set(key, known);
    }
    const shared = known;
    const isFirst = shared.askers === 0;
    shared.askers += 1;
    const answer = (): Promise<HttpResult> =>
      new Promise((resolve, reject) => {
        const leave = (): void => {
          shared.askers -= 1;
          reject(signal?.reason as Error);
          if (shared.askers > 0) return;
          // The last caller has left; the next one starts a new request.
          if (underway.get(key) === shared) underway.delete(key);
          shared.controller.abort(signal?.reason);
        };
        signal?.addEventListener('abort', leave, { once: true });
        shared.result.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
      });
    // The first caller sends; the others wait.
    return isFirst ? answer() : whileWaiting(request.caller, answer);
  };
}

/** The promise, or the signal's reason if it is aborted first. */
export function raced<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    return void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
