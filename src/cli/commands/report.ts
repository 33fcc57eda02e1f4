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

/** `report`: writes the page that shows a run. */
export function reportCommand(): Command {
  return runArgument(shared(new Command('report')))
    .description('write report.html, a page that shows a run and searches its passages')
    .option('--title <text>', 'heading of the page; default: the query')
    .option('--open', 'open it in the browser')
    .addHelpText('after', '\nExamples:\n  docstokg report --open\n  docstokg report runs/corals\n')
    .action(async (run: string | undefined, flags: ReportFlags, self: Command) => {
      const session = openSession(self);
      const folder = chooseRun(run ?? flags.run, session.load().config);
      const { path } = await writeReport({ folder, ...(flags.title !== undefined && { title: flags.title }) });
      session.terminal.print(session.json ? JSON.stringify({ path }) : path);
      if (flags.open) openInBrowser(path, (message) => session.log('warn', `${path} was not opened: ${message}`));
    });
}

/** What each system calls to open a file with the program meant for it. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};

function openInBrowser(path: string, failed: (message: string) => void): void {
  const [program, ...before] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...before, path], { detached: true, stdio: 'ignore' });
  child.on('error', (error) => failed(error.message));
  // The browser outlives us.
  child.unref();
}
