import { Option } from 'commander';

/** `--sim URL`, or the environment's DOCSTOKG_SIM. */
export function simOption(): Option {
  return new Option('--sim <url>', 'run against a simulated web (docstokg sim serve)').env('DOCSTOKG_SIM');
}
