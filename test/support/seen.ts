import type { Page } from 'playwright-core';

import { HANGING_MS } from './browser.ts';

/** Waits until a condition, as code, is true in the page; it is looked at again when anything changes. The page's policy forbids eval. */
export async function seen(page: Page, condition: string): Promise<void> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const look = () => { if (${condition}) { observer.disconnect(); removeEventListener('load', look, true); resolve(); } };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    addEventListener('load', look, true);
    look();
    setTimeout(() => reject(new Error(${JSON.stringify(condition)} + ' was not seen')), ${HANGING_MS / 4});
  })`);
}
