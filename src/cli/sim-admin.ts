import { AppError, parseJsonl } from '../base/index.ts';
import { loopbackFetch } from '../http/index.ts';
import type { Session } from './session.ts';
import { table } from './terminal.ts';

type SimAnswer = Awaited<ReturnType<typeof loopbackFetch>>;

/** Parses a streamed JSONL response. */
export async function* jsonLines(response: SimAnswer): AsyncGenerator {
  if (!response.body) return;
  for await (const line of parseJsonl(response.body as AsyncIterable<Uint8Array>, { tornTail: 'keep' }))
    if (line.kind === 'good') yield line.value;
}

/** Sends a command to the admin API of a running simulator. */
export const post = (sim: string, path: string, body: unknown): Promise<SimAnswer> =>
  call(sim, path, { method: 'POST', body: JSON.stringify(body) });

/** Sends a request to the admin API of a running simulator. */
export async function call(
  sim: string,
  path: string,
  init: Parameters<typeof loopbackFetch>[1] = {},
): Promise<SimAnswer> {
  const hint = 'use the URL printed as "sim" by docstokg sim serve';
  const response = await loopbackFetch(new URL(path, sim), init).catch((error: unknown) => {
    throw new AppError('SIM_UNREACHABLE', `no response from ${sim}`, { hint, cause: error });
  });
  if (!response.ok)
    throw new AppError('SIM_REFUSED', `${sim} answered ${response.status}: ${(await response.text()).slice(0, 300)}`, {
      hint,
    });
  return response;
}

/** Prints the confusion matrix and the first differences. */
export function printVerification(
  session: Session,
  result: {
    readonly works: number;
    readonly differences: readonly {
      readonly work: string;
      readonly aspect: string;
      readonly expected: string;
      readonly found: string;
    }[];
    readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
  },
): void {
  const cells = Object.entries(result.confusion).flatMap(([expected, row]) =>
    Object.entries(row).map(([found, count]) => [expected, found, count, expected === found ? '' : 'differs'] as const),
  );
  session.terminal.print(table(cells, ['expected', 'found', 'works', '']));
  if (result.differences.length > 0) {
    session.terminal.print('');
    session.terminal.print(
      table(
        result.differences
          .slice(0, 50)
          .map(({ work, aspect, expected, found }) => [work, aspect, expected.slice(0, 80), found.slice(0, 80)]),
        ['work', 'aspect', 'expected', 'found'],
      ),
    );
  }
  session.terminal.print(`\n${result.works} works, ${result.differences.length} differences`);
}
