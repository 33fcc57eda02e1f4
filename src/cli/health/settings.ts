import { errorInfo } from '../../base/index.ts';
import type { Config, Loaded } from '../../config/index.ts';
import { requireContact } from '../../http/index.ts';
import type { Finding } from './finding.ts';

/** What each key gives, and where one is had. */
const KEYS: readonly (readonly [name: keyof Config['keys'], without: string, where: string])[] = [
  ['openalex', 'the daily budget of OpenAlex is small', 'openalex.org/settings/api'],
  ['core', 'CORE is not asked', 'core.ac.uk/services/api'],
  ['semantic_scholar', 'Semantic Scholar is asked at the rate all share', 'semanticscholar.org/product/api'],
  ['ncbi', 'NCBI allows three requests per second', 'account.ncbi.nlm.nih.gov/settings'],
  ['osf', 'OSF allows fewer requests an hour', 'osf.io/settings/tokens'],
  ['openaire', 'OpenAIRE allows fewer requests an hour', 'develop.openaire.eu'],
];

/** Where settings come from, and whether an address is set under which the services can reach a person. */
export function checkSettings({ config, origins }: Loaded): Finding[] {
  const own = [...origins.values()].filter((origin) => origin !== 'default');
  const from = [...new Set(own)].join(', ');
  const found = own.length === 0 ? 'everything at its default' : `${own.length} of your own, from ${from}`;
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
      found: `${message}: the services are not asked without one`,
      fix: 'give your e-mail address with --mailto or DOCSTOKG_HTTP__CONTACT',
    };
  }
}

/** Keys that are set, and what is lost without the others. None is needed. */
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
