/** The promise, or the signal's reason if that comes first; what the promise does then is nobody's business here. */
export function raced<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    return void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
