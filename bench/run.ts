// `npm run bench NAME [--quick] [--json] [--check]` runs bench/NAME.ts.
const name = process.argv[2];
if (name === undefined || !/^[a-z-]+$/.test(name) || name === 'run') {
  console.error('usage: npm run bench NAME [-- --quick --json --check]');
  process.exit(2);
}
process.argv.splice(2, 1);
await import(`./${name}.ts`);
