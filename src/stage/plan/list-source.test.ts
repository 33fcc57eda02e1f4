import { describeItemSource } from '../../testing/index.ts';
import { ListSource } from '../index.ts';

describeItemSource('a list', (items) => {
  const source = new ListSource(items);
  return Promise.resolve({
    runner: () => Promise.resolve(source),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
});
