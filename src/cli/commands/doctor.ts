import { Command } from 'commander';

import type { Loaded } from '../../config/index.ts';
import { AppError, errorInfo } from '../../base/index.ts';
import type { Finding } from '../health.ts';
import { checkDisk, checkKeys, checkRuntime, checkServices, checkSettings } from '../health.ts';
import type { Session } from '../session.ts';
import { openSession, shared } from '../session.ts';
import { simulatedLayer } from '../../harvest/index.ts';
import { plain } from '../terminal.ts';
import { simOption } from '../options.ts';

interface DoctorOptions {
  readonly mailto?: string;
  readonly offline?: boolean;
  readonly sim?: string;
}

const MARKS = { good: ['green', '✓'], hint: ['yellow', '·'], bad: ['red', '✗'] } as const;
const AREAS: Readonly<Record<Finding['area'], string>> = {
  runtime: 'Machine and components',
  disk: 'Disk',
  settings: 'Settings',
  keys: 'API keys (all optional)',
  services: 'Services',
};

export function doctorCommand(): Command {
  return shared(new Command('doctor'))
    .description('check the machine, disk, settings, keys and services, and suggest fixes')
    .option('--mailto <address>', 'contact e-mail address, sent to the services used (http.contact)')
    .option('--offline', 'do not contact any service')
    .addOption(simOption())
    .addHelpText(
      'after',
      '\nExample:\n  docstokg doctor --mailto you@university.example\n\nExits with 1 if a check fails.\n',
    )
    .action(async (options: DoctorOptions, self: Command) => {
      const session = openSession(self);
      const findings = await checkAll(options, session);
      if (session.json) session.terminal.print(JSON.stringify(findings, undefined, 2));
      else printFindings(findings, session);
      if (findings.some(({ state }) => state === 'bad')) process.exitCode = 1;
    });
}

async function checkAll(options: DoctorOptions, session: Session): Promise<Finding[]> {
  let loaded: Loaded;
  try {
    loaded = session.load([...(await simulatedLayer(options))]);
  } catch (error) {
    const { message } = errorInfo(error);
    const hint = error instanceof AppError ? error.hint : undefined;
    return [
      {
        area: 'settings',
        name: 'configuration',
        state: 'bad',
        found: message,
        ...(hint !== undefined && { fix: hint }),
      },
    ];
  }
  const { config } = loaded;
  const settings = checkSettings(loaded);
  const hasContact = settings.every(({ name, state }) => name !== 'contact' || state === 'good');
  return [
    ...(await checkRuntime(config)),
    ...checkDisk(config),
    ...settings,
    ...checkKeys(config),
    ...(options.offline
      ? []
      : await checkServices(config, hasContact ? config.http.contact.trim() : undefined, session)),
  ];
}

function printFindings(findings: readonly Finding[], { terminal }: Session): void {
  const width = Math.min(24, Math.max(...findings.map(({ name }) => name.length)));
  for (const [area, some] of Map.groupBy(findings, (finding) => finding.area)) {
    terminal.print(terminal.style('bold', AREAS[area], 'stdout'));
    for (const [at, { name, state, found, fix }] of some.entries()) {
      const [colour, mark] = MARKS[state];
      terminal.print(`  ${terminal.style(colour, mark, 'stdout')} ${name.padEnd(width)}  ${plain(found)}`);
      // Findings with the same fix print it once.
      if (fix !== undefined && fix !== some[at + 1]?.fix)
        terminal.print(`    ${''.padEnd(width)}  ${terminal.style('dim', `→ ${plain(fix)}`, 'stdout')}`);
    }
  }
  const bad = findings.filter(({ state }) => state === 'bad').length;
  terminal.print(bad === 0 ? '\nready' : `\n${bad} ${bad === 1 ? 'problem' : 'problems'} to fix`);
}
