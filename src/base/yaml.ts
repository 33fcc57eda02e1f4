import { createRequire } from 'node:module';

import type * as Yaml from 'yaml';

/** Reads YAML or JSON. The parser is loaded here, because most commands read no YAML. */
export function parseYaml(text: string, options: Yaml.ParseOptions & Yaml.ToJSOptions = {}): unknown {
  const { parse } = createRequire(import.meta.url)('yaml') as typeof Yaml;
  return parse(text, options);
}
