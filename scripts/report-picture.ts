// Makes the screenshot of a report: node scripts/report-picture.ts RUN_FOLDER/report.html "words to search" OUT.png.
// Searches, opens the best passage and takes the screenshot with Chromium (see test/support/browser.ts).
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { openBrowser } from '../test/support/browser.ts';

const [report, words, out] = process.argv.slice(2);
if (report === undefined || words === undefined || out === undefined) {
  console.error('usage: node scripts/report-picture.ts RUN_FOLDER/report.html "words to search" OUT.png');
  process.exit(2);
}
await using opened = await openBrowser();
if (!opened) {
  console.error('there is no Chromium here; install one, such as Debian\'s "chromium"');
  process.exit(1);
}
const page = await opened.browser.newPage({ viewport: { width: 1100, height: 800 }, colorScheme: 'light' });
await page.goto(`${pathToFileURL(resolve(report)).href}#/search`);
await page.fill('#search', words);
await page.waitForSelector('.hits a');
await page.keyboard.press('Enter');
await page.waitForSelector('.side [aria-selected=true]');
await page.evaluate('scrollTo({ top: 0, behavior: "instant" })');
const picture = await page.screenshot({ type: 'png' });
writeFileSync(out, picture);
console.log(`${out}: ${Math.round(picture.length / 1000)} kB`);
