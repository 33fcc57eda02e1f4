import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { WorldUp } from '../harvest/world.ts';

const TIME_SCALE = 0.02;
const WORKERS = 16;
/** The harvest tells on its way out how much processor time it took itself. */
const TELL_CPU = `data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();process.stdout.write(String((user+system)/1e6))})`;

/** A simulated web in a process of its own, harvested by the real command, each time other works of it. */
export class Harvests implements Disposable {
  readonly #folder: string;
  readonly #world;
  readonly #url: string;
  readonly #lines: readonly string[];
  #from = 0;

  private constructor(folder: string, world: ReturnType<typeof fork>, url: string) {
    this.#folder = folder;
    this.#world = world;
    this.#url = url;
    this.#lines = readFileSync(join(folder, 'works.jsonl'), 'utf8').trim().split('\n');
  }

  static async open(folder: string, works: number): Promise<Harvests> {
    const program = join(import.meta.dirname, '..', 'harvest', 'world.ts');
    const world = fork(program, [String(works), String(TIME_SCALE), join(folder, 'works.jsonl')], {
      execArgv: ['--conditions=docstokg-source'],
    });
    const [up] = (await once(world, 'message')) as [WorldUp];
    return new Harvests(folder, world, up.url);
  }

  /** Where the harvests go: one run that grows. */
  get run(): string {
    return join(this.#folder, 'harvest');
  }

  /** Processor seconds of the harvesting process alone, for so many works. */
  async next(works: number): Promise<number> {
    const list = join(this.#folder, `works-${this.#from}.jsonl`);
    writeFileSync(list, `${this.#lines.slice(this.#from, this.#from + works).join('\n')}\n`);
    this.#from += works;
    const command = join(import.meta.dirname, '..', '..', 'bin', 'contentdownload');
    const parameters = ['--input', list, '--sim', this.#url, '--out', this.run, '--workers', String(WORKERS)];
    const child = spawn(
      process.execPath,
      ['--import', TELL_CPU, command, ...parameters, '--json', '--log-level', 'error'],
      {
        cwd: this.#folder,
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    let told = '';
    child.stdout.on('data', (bytes: Buffer) => (told += bytes.toString()));
    await once(child, 'close');
    const seconds = Number(/([\d.]+)$/.exec(told)?.[1]);
    if (child.exitCode !== 0 || !(seconds > 0)) throw new Error(`a harvest ended with ${child.exitCode}`);
    return seconds;
  }

  [Symbol.dispose](): void {
    this.#world.disconnect();
  }
}
