import type { Config } from '../config/index.ts';
import { settingsTable } from '../config/index.ts';
import type { StageOptions } from '../stage/index.ts';
import { cpuWorkers } from '../stage/index.ts';
import { stageSettings } from './stage-settings.ts';

/** What each stage prefers where nobody said otherwise: the preparation takes it from here, and the help tells it. */
export const PREFERRED: Readonly<Record<'doctags' | 'chunk' | 'embed', (config: Config) => Partial<StageOptions>>> = {
  doctags({ parse }) {
    const remote = parse.engine !== 'embedded';
    return {
      policy: 'cpu',
      workers: remote ? 4 : cpuWorkers(),
      scheduling: 'lpt',
      ...(parse.timeout_s === null ? { perItemCpuS: 120 } : { perItemTimeoutS: parse.timeout_s }),
      memoryLimitMb: parse.memory_limit_mb,
      // Measured on the open papers: 290 MB at most, where V8's own choice needs more than 400; less costs more CPU.
      youngGenerationMb: 48,
      recycleAfterItems: 200,
      retries: remote ? 3 : 0,
    };
  },
  chunk: () => ({ policy: 'cpu', workers: cpuWorkers(), scheduling: 'lpt', perItemCpuS: 120 }),
  embed: ({ parse }) =>
    parse.dense === 'openai-compatible'
      ? { policy: 'gpu', workers: 4, maxQueue: 16, retries: 2 }
      : { policy: 'io', workers: 1 },
};

/** How a stage runs where nobody said anything. */
export function defaultStageOptions(stage: keyof typeof PREFERRED): StageOptions {
  const config = settingsTable().defaults;
  return stageSettings({}, config, PREFERRED[stage](config));
}
