import { errorInfo } from '../../base/index.ts';
import type { Config, Loaded } from '../../config/index.ts';
import { requireContact } from '../../http/index.ts';
import type { Finding } from './finding.ts';

/** API keys: what is missing without each, and where to get one. */
const KEYS: readonly (readonly [name: keyof Config['keys'], without: string, where: string])[] = [
  ['openalex', 'smaller daily OpenAlex budget', 'openalex.org/settings/api'],
  ['core', 'CORE is not used', 'core.ac.uk/services/api'],
  ['semantic_scholar', 'Semantic Scholar: shared rate limit', 'semanticscholar.org/product/api'],
  ['ncbi', 'NCBI: 3 requests per second instead of 10', 'account.ncbi.nlm.nih.gov/settings'],
  ['osf', 'OSF: lower hourly limit', 'osf.io/settings/tokens'],
  ['openaire', 'OpenAIRE: lower hourly limit', 'develop.openaire.eu'],
];

/** Where settings come from, and whether a contact address is set. */
export function checkSettings({ config, origins }: Loaded): Finding[] {
  const own = [...origins.values()].filter((origin) => origin !== 'default');
  const from = [...new Set(own)].join(', ');
  const found = own.length === 0 ? 'all settings have their default value' : `${own.length} changed, from ${from}`;
  return [{ area: 'settings', name: 'configuration', state: 'good', found }, contact(config)];
}

function contact({ http }: Config): Finding {
  const about = { area: 'settings', name: 'contact' } as const;
  try {
    return { ...about, state: 'good', found: requireContact(http.contact) };
  } catch (error) {
    const { message } = errorInfo(error);
    return {
      ...about,
      state: 'bad',
      found: `${message}: services are not used without one`,
      fix: 'set your e-mail address with --mailto or DOCSTOKG_HTTP__CONTACT',
    };
  }
}

/** Which keys are set, and what the others would provide. All keys are optional. */
export function checkKeys({ keys }: Config): Finding[] {
  return KEYS.map(([name, without, where]) =>
    keys[name] === ''
      ? {
          area: 'keys',
          name,
          state: 'hint',
          found: `no key: ${without}`,
          fix: `${where}, then DOCSTOKG_KEYS__${name.toUpperCase()}`,
        }
      : { area: 'keys', name, state: 'good', found: 'set' },
  );
}
