import { spawnSync } from 'node:child_process';

// Everything that must hold before a change lands, cheapest first. All are run, so that one run names every fault.
const checks = [
  'format:check',
  'lint',
  'typecheck',
  'deadcode',
  'house',
  'build',
  ...(process.argv.includes('--no-test') ? [] : ['test']),
];
const failed = checks.filter((name) => {
  console.log(`\n— npm run ${name}`);
  return (
    spawnSync('npm', ['run', '--silent', name], { stdio: 'inherit', shell: process.platform === 'win32' }).status !== 0
  );
});
console.log(failed.length === 0 ? '\nall checks passed' : `\nfailed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
