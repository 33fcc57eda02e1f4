import type { CommandUnknownOpts } from 'commander';

import type { FlagPlace } from '../../../config/index.ts';
import type { ParseStage } from '../../../corpus/index.ts';
import { defaultStageOptions, PARSE_STAGES } from '../../../corpus/index.ts';
import type { StageEvent, StageOutcome } from '../../../stage/index.ts';
import { diagnosticsLine, planText, progressLine, stageExitCode, summaryText } from '../../../stage/index.ts';
import type { Session } from '../../session.ts';
import { settingOptions, shared } from '../../session.ts';
import { wholeNumber } from '../../options.ts';

export function stageOptions<Given extends CommandUnknownOpts>(command: Given, ...places: FlagPlace[]): Given {
  const stages = PARSE_STAGES.filter((stage) => places.includes(stage));
  settingOptions(shared(command), [...places, 'data-root', 'stage'])
    .addHelpText('after', () => `\n${stages.map(defaultsOf).join('\n')}`)
    .option('--resume', 'skip documents already processed, even if the configuration says otherwise')
    .option('--no-resume', 'process documents again even if nothing has changed')
    .option('--force', 'process all documents again')
    .option('--dry-run', 'show what would be done and why, without doing it')
    .option('--limit <n>', 'maximum number of documents', wholeNumber(0))
    .option('--shard <i/n>', 'process part i of n; auto/n takes i from a batch system')
    .option('--fleet <url>', 'PostgreSQL server with the logs of a fleet; needs --store');
  return command;
}

function defaultsOf(stage: ParseStage): string {
  const { policy, workers, scheduling, perItemTimeoutS, perItemCpuS, retries, maxQueue } = defaultStageOptions(stage);
  return [
    `Defaults of ${stage}:`,
    `--policy ${policy}`,
    // The number of processors depends on the machine, so it is described in words.
    `--workers ${policy === 'cpu' ? '(one per processor)' : workers} --scheduling ${scheduling} --retries ${retries} --max-queue ${maxQueue}`,
    perItemCpuS > 0 ? `and ${perItemCpuS} s of processor time per document` : `--timeout-s ${perItemTimeoutS}`,
  ].join(' ');
}

export function stageMessage(event: StageEvent): readonly ['warn' | 'info' | 'debug', string] | undefined {
  switch (event.kind) {
    case 'item-failed': {
      const { itemId, code, category, message } = event.error;
      return ['warn', `${itemId}: ${code ?? category} ${message}`];
    }
    case 'warning':
      return ['warn', event.message];
    case 'item-abandoned':
      return ['warn', `${event.itemId} did not stop when asked to and was abandoned`];
    case 'hook-failed':
      return ['warn', `${event.hook}: ${event.message}`];
    case 'worker-replaced': {
      const where = event.itemId === undefined ? '' : ` on ${event.itemId}`;
      return ['debug', `a worker was replaced: ${event.reason}${where}`];
    }
    case 'worker-output':
      return ['debug', event.text];
    case 'stopping':
      return ['info', `stopping: ${event.reason}`];
    case 'progress':
    case 'diagnostics':
    case 'item-retry':
    case 'stage-started':
    case 'stage-ended':
      return undefined;
  }
}

export function showStage(session: Session): (event: StageEvent) => void {
  const { terminal } = session;
  return (event) => {
    const message = stageMessage(event);
    if (message) session.log(...message);
    else if (event.kind === 'progress' && terminal.live)
      terminal.status(progressLine(event.progress).slice(0, terminal.columns - 1));
    else if (event.kind === 'diagnostics' && !terminal.live) terminal.note(diagnosticsLine(event.progress));
  };
}

/** Removes the progress line and sets the exit code; a signal has set its own. */
export function endStage(outcome: StageOutcome, session: Session): void {
  session.terminal.clear();
  const code = stageExitCode(outcome);
  if (code !== 0) process.exitCode ??= code;
}

export function printOutcome(outcome: StageOutcome, session: Session): void {
  endStage(outcome, session);
  session.print(outcome, () => (outcome.plan ? planText(outcome.stageName, outcome.plan) : summaryText(outcome)));
}
