import { Option } from 'commander';

/** `--sim URL`, or DOCSTOKG_SIM from the environment. */
export function simOption(): Option {
  return new Option('--sim <url>', 'run against a simulated web (docstokg sim serve)').env('DOCSTOKG_SIM');
}
