import { describeAdmission, HeldClock } from '../../testing/index.ts';
import { createMemoryAdmission } from './admission.ts';

describeAdmission('the authority over hosts of one process', (options) => {
  const clock = new HeldClock();
  const admission = createMemoryAdmission({ ...options, clock });
  return Promise.resolve({
    admission,
    clock,
    async pass(promise) {
      let isSettled = false;
      const done = promise.finally(() => (isSettled = true));
      done.catch(() => undefined);
      for (;;) {
        for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
        if (isSettled) return await done;
        await clock.advanceToNext();
      }
    },
    [Symbol.asyncDispose]: () => admission[Symbol.asyncDispose](),
  });
});
