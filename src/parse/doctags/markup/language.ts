import type { Block } from '../../document.ts';

// The commonest short words of each language; a paper of a few paragraphs holds dozens of them.
const WORDS: Readonly<Record<string, string>> = {
  en: 'the of and to in is that for with was were are this by from which as be on we not have has an or at it',
  de: 'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus wird bei sind',
  fr: 'de la le et les des en un du une que est pour qui dans par sur pas plus au avec ce sont nous aux être cette',
  es: 'de la que el en los se las por con para una del es al como más fue este entre sus esta son sobre también',
  pt: 'de que do da em um para com não uma os no se na por mais as dos como mas foi ao das são pela também nos',
  it: 'di che la il un per in del una con della non sono le nel alla è dei più da gli come delle si ed anche',
  nl: 'de het een van en in is dat op te zijn met voor niet aan er om ook als door over bij worden wordt',
  sv: 'och att det som en på är av för med den till inte om ett har de från vid var eller',
  pl: 'w i na z do się nie że jest to o od po dla przez są oraz za jako przy które',
};
const BY_WORD = new Map<string, string[]>();
for (const [language, words] of Object.entries(WORDS))
  for (const word of words.split(' ')) BY_WORD.set(word, [...(BY_WORD.get(word) ?? []), language]);

const SCRIPTS: readonly (readonly [language: string, script: RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
];
const ENOUGH = 4_000;

/** The language of a document's paragraphs, where it is plain; undefined where there is too little text to tell. */
export function guessLanguage(blocks: readonly Block[]): string | undefined {
  let text = '';
  for (const block of blocks) {
    if (block.kind === 'text' || block.kind === 'list_item') text += `${block.text} `;
    if (text.length > ENOUGH) break;
  }
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters < 100) return undefined;
  const isLatin = (text.match(/[a-z]/gi)?.length ?? 0) > letters * 0.6;
  for (const [language, script] of isLatin ? [] : SCRIPTS) {
    // Japanese is told from Chinese by a share of kana.
    if ((text.match(script)?.length ?? 0) > letters * (language === 'ja' ? 0.1 : 0.4)) return language;
  }
  const counts = new Map<string, number>();
  let words = 0;
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) {
    words += 1;
    for (const language of BY_WORD.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const [best, second] = [...counts].sort((a, b) => b[1] - a[1]);
  if (!best || best[1] < words * 0.12 || best[1] < (second?.[1] ?? 0) * 1.2) return undefined;
  return best[0];
}
