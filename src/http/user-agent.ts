import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { AppError, packageRoot } from '../base/index.ts';

/** The name by which robots.txt files know us. */
export const PRODUCT_TOKEN = 'DocsToKG-TS';
const PROJECT_URL = 'https://www.npmjs.com/package/docstokg';
const MAIL = /^[^\s@<>"(),;:\\[\]]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i;
const PLACEHOLDER =
  /@(example\.(com|org|net)|test\.com|email\.(com|org)|domain\.com)$|^(your|you|me|name|user)[._-]?(e?mail|name)?@/i;

/** How we introduce ourselves: product, version, where to read about it and whom to write to. */
export function userAgent(contact: string | undefined): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return `${PRODUCT_TOKEN}/${version} (+${PROJECT_URL}${contact === undefined ? '' : `; mailto:${contact}`})`;
}

/** Refuses to go on without an address at which a person can be reached; services ask for it, and some demand it. */
export function requireContact(contact: string | undefined): string {
  const trimmed = contact?.trim() ?? '';
  if (MAIL.test(trimmed) && !PLACEHOLDER.test(trimmed)) return trimmed;
  throw new AppError(
    'CONTACT_MISSING',
    trimmed === '' ? 'no contact address is set' : `"${trimmed.slice(0, 100)}" is not an address we can give`,
    { hint: 'give your e-mail address with --mailto or DOCSTOKG_HTTP__CONTACT; it is sent to the services we ask' },
  );
}
