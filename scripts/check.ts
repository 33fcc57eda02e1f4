import { spawnSync } from 'node:child_process';

// Runs all checks, cheapest first, and reports every failure.
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
