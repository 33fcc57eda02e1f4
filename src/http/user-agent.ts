import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { AppError, packageRoot } from '../base/index.ts';

/** Our product token in robots.txt. */
export const PRODUCT_TOKEN = 'DocsToKG-TS';
const PROJECT_URL = 'https://www.npmjs.com/package/docstokg';
const MAIL = /^[^\s@<>"(),;:\\[\]]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i;
const PLACEHOLDER =
  /@(example\.(com|org|net)|test\.com|email\.(com|org)|domain\.com)$|^(your|you|me|name|user)[._-]?(e?mail|name)?@/i;

/** Product, version, documentation URL and contact. */
export function userAgent(contact: string | undefined): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return `${PRODUCT_TOKEN}/${version} (+${PROJECT_URL}${contact === undefined ? '' : `; mailto:${contact}`})`;
}

/** Fails without a contact address; services ask for one, and some require it. */
export function requireContact(contact: string | undefined): string {
  const trimmed = contact?.trim() ?? '';
  if (MAIL.test(trimmed) && !PLACEHOLDER.test(trimmed)) return trimmed;
  throw new AppError(
    'CONTACT_MISSING',
    trimmed === '' ? 'no contact address is set' : `"${trimmed.slice(0, 100)}" is not an address we can give`,
    { hint: 'set your e-mail address with --mailto or DOCSTOKG_HTTP__CONTACT; it is sent to the services used' },
  );
}
