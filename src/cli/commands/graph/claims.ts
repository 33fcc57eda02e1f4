import { Command } from 'commander';

import type { ClaimsEvent } from '../../../corpus/index.ts';
import { stageExitCode } from '../../../stage/index.ts';
import { count } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { corpusOf, runArgument } from '../../run-argument.ts';
import { openSession, shared } from '../../session.ts';
import { settingOptions } from '../../setting-options.ts';
import { stopSignal } from '../../stop-signal.ts';
import { showStage } from '../docparse/stage-options.ts';

interface ClaimFlags {
  readonly run?: string;
  readonly estimate?: boolean;
  readonly force?: boolean;
}

export function claimsCommand(): Command {
  return runArgument(settingOptions(shared(new Command('claims')), ['claims']))
    .description(
      'have a language model extract claims from passages; claims whose quote is not in the passage are dropped',
    )
    .option('--estimate', 'only print the expected tokens and cost')
    .option('--force', 'process finished documents again; cached answers are free')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg graph claims --model-url http://127.0.0.1:11434/v1 --model qwen3:8b --estimate\n  docstokg graph claims --budget-usd 2\n',
    )
    .action(async (run: string | undefined, flags: ClaimFlags, self: Command) => {
      const session = openSession(self);
      using stop = stopSignal();
      await using corpus = await corpusOf(session, run ?? flags.run);
      const show = showStage(session);
      const request = { estimateOnly: flags.estimate, flags: { ...(flags.force && { force: true }) } };
      for await (const event of corpus.graph.claims(request, stop.signal))
        if (event.kind === 'stage') show(event.event);
        else printEvent(event, flags.estimate === true, session);
    });
}

/** Prints the result; the cost estimate goes to stderr unless it is the result. */
function printEvent(event: Exclude<ClaimsEvent, { kind: 'stage' }>, estimateOnly: boolean, session: Session): void {
  const { terminal } = session;
  if (event.kind === 'estimated') {
    const { estimate } = event;
    const text = `${count(estimate.passages)} passages of ${count(estimate.documents)} documents, ${count(estimate.known)} cached; at most ${count(estimate.inputTokens)} input and ${count(estimate.mostOutputTokens)} output tokens${dollars(estimate.mostUsd, ', at most ')}`;
    if (!estimateOnly) session.log('info', text);
    else session.print(estimate, text);
    return;
  }
  terminal.clear();
  const { outcome, tooDear, claims, documents, dropped, unreadable, inputTokens, outputTokens, usd } = event.gathered;
  const code = stageExitCode(outcome);
  if (code !== 0) process.exitCode ??= code;
  const lost = Object.entries({ ...dropped, ...(unreadable > 0 && { 'unreadable answers': unreadable }) });
  session.print({ ...event.gathered, outcome: undefined, failed: outcome.failed }, () =>
    [
      `${count(claims)} claims with a verified quote, from ${count(documents)} documents`,
      `dropped: ${lost.length === 0 ? 'none' : lost.map(([why, number]) => `${count(number)} ${why}`).join(', ')}`,
      `used: ${count(inputTokens)} input tokens, ${count(outputTokens)} output tokens${dollars(usd, ', ')}`,
      ...(tooDear > 0 ? [`over budget, not processed: ${count(tooDear)} documents`] : []),
      'run docstokg graph build to add them to the graph',
    ].join('\n'),
  );
}

function dollars(usd: number | null, before: string): string {
  return usd === null ? '' : `${before}$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}
