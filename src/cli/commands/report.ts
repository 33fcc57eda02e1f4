import { spawn } from 'node:child_process';

import { Command } from 'commander';

import { writeReport } from '../../serve/index.ts';
import { chooseRun, runArgument } from '../run-argument.ts';
import { openSession, shared } from '../session.ts';

interface ReportFlags {
  readonly run?: string;
  readonly title?: string;
  readonly open?: boolean;
}

export function reportCommand(): Command {
  return runArgument(shared(new Command('report')))
    .description('write report.html, a self-contained page with the results of a run and a search')
    .option('--title <text>', 'heading of the page; default: the query')
    .option('--open', 'open it in the browser')
    .addHelpText('after', '\nExamples:\n  docstokg report --open\n  docstokg report runs/corals\n')
    .action(async (run: string | undefined, flags: ReportFlags, self: Command) => {
      const session = openSession(self);
      const folder = chooseRun(run ?? flags.run, session.load().config);
      const { path } = await writeReport({ folder, ...(flags.title !== undefined && { title: flags.title }) });
      session.print({ path }, path);
      if (flags.open) openInBrowser(path, (message) => session.log('warn', `cannot open ${path}: ${message}`));
    });
}

/** The command that opens a file with its default program, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};

function openInBrowser(path: string, failed: (message: string) => void): void {
  const [program, ...before] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...before, path], { detached: true, stdio: 'ignore' });
  child.on('error', (error) => failed(error.message));
  // Let the browser outlive this process.
  child.unref();
}
