import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import type { Customary } from './environment.ts';
import { customaryLayer } from './environment.ts';
import type { Layer } from './layers.ts';

const NAMES: Readonly<Record<string, string>> = {
  aws_access_key_id: 'access_key_id',
  aws_secret_access_key: 'secret_access_key',
  aws_session_token: 'session_token',
  region: 'region',
  endpoint_url: 'endpoint',
};

const VARIABLES: Customary = [
  [['store', 'endpoint'], 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'],
  [['store', 'region'], 'AWS_REGION', 'AWS_DEFAULT_REGION'],
  [['store', 'access_key_id'], 'AWS_ACCESS_KEY_ID'],
  [['store', 'secret_access_key'], 'AWS_SECRET_ACCESS_KEY'],
  [['store', 'session_token'], 'AWS_SESSION_TOKEN'],
];

/** Settings from `~/.aws/config`, `~/.aws/credentials` and the AWS variables, for the selected profile. */
export function awsLayer(environment: Readonly<Record<string, string | undefined>>): Layer {
  const profile = environment['AWS_PROFILE'] ?? 'default';
  const home = environment['HOME'] ?? homedir();
  const files = [
    [
      environment['AWS_CONFIG_FILE'] ?? join(home, '.aws', 'config'),
      profile === 'default' ? profile : `profile ${profile}`,
    ],
    [environment['AWS_SHARED_CREDENTIALS_FILE'] ?? join(home, '.aws', 'credentials'), profile],
  ] as const;
  const fromFiles = files.flatMap(([file, section]) =>
    Object.entries(sectionOf(file, section)).map(([name, value]) => ({
      path: ['store', name],
      value,
      origin: `file ${file}`,
    })),
  );
  return [...fromFiles, ...customaryLayer(environment, VARIABLES)];
}

/** The known settings of a section of an INI file; none if the file does not exist. */
function sectionOf(file: string, section: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return {}; // Missing or unreadable: the store reports that there are no credentials.
  }
  const found: Record<string, string> = {};
  let isInside = false;
  for (const line of text.split(/\r?\n/)) {
    const head = /^\[([^\]]*)\]/.exec(line.trim());
    if (head) isInside = head[1]?.trim() === section;
    const [name = '', ...rest] = line.split('=');
    const value = rest.join('=').trim();
    const known = NAMES[name.trim().toLowerCase()];
    if (isInside && known !== undefined && value !== '') found[known] = value;
  }
  return found;
}
