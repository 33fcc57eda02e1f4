import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

import { NO_BROWSER, openBrowser } from '../../../test/support/browser.ts';
import { analyse } from './layout/layout.ts';
import { textOf } from './layout/draft.ts';
import type { Glyph, PageContent } from './layout/page/page-content.ts';
import { parsePdf } from './pdf.ts';

const FONT = readFileSync(fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'))).toString('base64');

const PARAGRAPHS: Readonly<Record<string, readonly string[]>> = {
  fa: [
    'در سال ۱۳۹۸ حدود ۲۵٫۵ درصد از آب رودخانه‌ها به دریا ریخت و ۱۲۳۴۵ نفر در ۶ استان آن را دیدند. می‌خواهیم بدانیم که کتاب‌های علمی چه می‌گویند، و نتایج (جدول ۳) در سال ۲۰۱۹ با روش PCR سنجیده شد.',
    'لاله و سلام و کلام و اسلام نمونه‌هایی از لام‌الف هستند و شماره‌ی تلفن ۰۲۱-۸۸۷۷۶۶۵۵ در آن آمده است.',
  ],
  ar: [
    'في عام ٢٠١٩ بلغت النسبة ٢٥٫٥ في المئة من المياه وشارك ١٢٣٤٥ شخصًا في ٦ محافظات. الإسلام والسلام والأمل كلمات فيها لام ألف، وقد استُخدمت طريقة PCR في عام 2020 لقياس النتائج (الجدول ٣).',
    'قمنا بقياس التصريف في 12 محطة و 7 أنهار (linear regression) فقط.',
    'أُجريت هذه الدراسة خصوصًا في فصلَيْن وشُوهدت نتائجُها أيضًا، وقد كانت مثلًا مهمّة.',
    'هذه الفقرة مكتوبة لاختبار ترتيب الكلمات والأرقام في صفحة من اليمين إلى اليسار ولا شيء غير ذلك.',
  ],
  he: [
    'בשנת 2019 נמדדו 25.5 אחוזים מן המים ו־12,345 אנשים השתתפו ב־6 מחוזות. השיטה PCR שימשה למדידה (טבלה 3) של התוצאות במחקר הזה, בטלפון 03-5551234.',
    'מדדנו את הספיקה ב-12 תחנות ו-7 נחלים (linear regression) בלבד, שגיאה של 5.2%, 2015, 3, 1-10.',
    'הפסקה הזאת נכתבה כדי לבדוק את סדר המילים והמספרים בעמוד שנכתב מימין לשמאל ולא יותר מזה.',
  ],
};

test('words and digits of Persian, Arabic and Hebrew pages match their source', async (t) => {
  await using opened = await openBrowser();
  if (!opened) return t.skip(NO_BROWSER);
  const page = await opened.browser.newPage();
  for (const [language, paragraphs] of Object.entries(PARAGRAPHS)) {
    await page.setContent(
      `<!doctype html><html lang="${language}" dir="rtl"><meta charset="utf-8">
      <style>@font-face { font-family: T; src: url(data:font/ttf;base64,${FONT}) }
      body { font: 14px/1.8 T; width: 420px }</style>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</html>`,
    );
    await page.evaluate('document.fonts.ready');
    const { blocks, metadata } = await parsePdf(await page.pdf({ width: '500px', height: '700px' }));
    assert.equal(blocks.map(({ text }) => text).join(' '), paragraphs.join(' '), language);
    assert.equal(metadata.language, language);
  }
});

test('a line of a Hebrew paragraph may begin with a number or a Latin word', async (t) => {
  await using opened = await openBrowser();
  if (!opened) return t.skip(NO_BROWSER);
  const page = await opened.browser.newPage();
  const paragraph = 'מדדנו את הספיקה בין 2010 לבין 2020 לפי linear regression בלבד. '.repeat(8).trim();
  await page.setContent(
    `<!doctype html><html lang="he" dir="rtl"><meta charset="utf-8">
    <style>@font-face { font-family: T; src: url(data:font/ttf;base64,${FONT}) }
    body { font: 14px/1.8 T; width: 400px; text-align: justify }</style><p>${paragraph}</p></html>`,
  );
  await page.evaluate('document.fonts.ready');
  const { blocks } = await parsePdf(await page.pdf({ width: '500px', height: '700px' }));
  assert.deepEqual(
    blocks.map(({ text }) => text),
    [paragraph],
  );
});

/** Ideographs in columns from right to left, as a file with vertical writing has them. */
function verticalPage(columns: readonly string[]): PageContent {
  const size = 12;
  const font = { name: 'Gothic', bold: false, italic: false, monospaced: false, smallCaps: false, math: false };
  const glyphs = columns.flatMap((column, at) =>
    Array.from(column, (text, row): Glyph => {
      const [left, top] = [360 - at * 24, 40 + row * size];
      const box = { left, right: left + size, top, bottom: top + size };
      const place = { x: left, baseline: top + 0.88 * size, size, turn: 0, form: -1 };
      return { text, ...box, ...place, font, spaced: false, artifact: false };
    }),
  );
  const nothing = { rules: [], drawings: [], links: [], jumps: [] };
  const counts = { unmapped: 0, renamed: 0, hidden: 0, truncated: false };
  return { number: 1, width: 420, height: 600, glyphs, ...nothing, ...counts };
}

test('vertical writing is read down its columns, from right to left, and paragraphs end where a column is short', () => {
  const columns = [
    'この研究では、二〇一九年に日本の川で砂と粘土がどのように',
    '運ばれるかを調べた。水はゆっくりと流れ、小さな粒は広い平',
    '野に沈む。農家はそこで小麦や大麦を育てる。',
    '結果は次のとおりである。川の流れが遅いほど、粒は小さくな',
    'る。平野が広いほど、粘土は多くなる。',
  ];
  const { drafts, views } = analyse([verticalPage(columns)], [], '');
  assert.deepEqual(
    drafts.map((draft) => textOf(draft)),
    [columns.slice(0, 3).join(''), columns.slice(3).join('')],
  );
  const [first] = drafts;
  assert.ok(first);
  const box = views.get(1)?.back(first.box);
  assert.ok(box && box.right > 370 && box.bottom - box.top > 300, 'its box is in page coordinates');
});
