/** How a bench is to be run. */
export interface Flags {
  readonly quick: boolean;
  readonly json: boolean;
  readonly check: boolean;
  /** What was asked for beside these three. */
  readonly rest: readonly string[];
}

const NAMES = ['quick', 'json', 'check'] as const;

/** Flags of `npm run bench NAME --quick`, which npm keeps for itself and tells only in the environment. */
export function wantedFlags(environment: Readonly<Record<string, string | undefined>>): string[] {
  return NAMES.filter((name) => environment[`npm_config_${name}`] === 'true').map((name) => `--${name}`);
}

export function parseFlags(given: readonly string[] = process.argv.slice(2)): Flags {
  const has = (name: string): boolean => given.includes(`--${name}`);
  return {
    quick: has('quick'),
    json: has('json'),
    check: has('check'),
    rest: given.filter((each) => !NAMES.some((name) => each === `--${name}`)),
  };
}
