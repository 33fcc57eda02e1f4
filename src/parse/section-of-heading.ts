/** The parts of a paper that its headings name. */
export type HeadedSection =
  | 'abstract'
  | 'introduction'
  | 'methods'
  | 'results'
  | 'discussion'
  | 'conclusion'
  | 'front'
  | 'references'
  | 'back';

const HEADINGS: readonly (readonly [HeadedSection, RegExp])[] = [
  [
    'references',
    /^(?:references?(?: cited| list)?|bibliography|literature(?: cited)?|works cited|literatur(?:verzeichnis)?|références(?: bibliographiques)?|bibliographie|referencias(?: bibliográficas)?|bibliografía|список литературы|литература|参考文献|参考資料)$/u,
  ],
  [
    'back',
    /^(?:acknowledge?ments?|funding(?: information| sources?| statement)?|author contributions?|contributors?|credit authorship.*|(?:declaration of )?(?:competing|conflicts?(?: of)?) interests?.*|ethics (?:statement|approval|declarations?).*|danksagung|remerciements|agradecimientos|благодарности|abbreviations|orcid.*)$/u,
  ],
  [
    'front',
    /^(?:affiliations?|author (?:information|affiliations?|details)|authors?|correspond(?:ence|ing authors?)|article info(?:rmation)?|keywords|contact)$/u,
  ],
  [
    'abstract',
    /^(?:abstract|summary|zusammenfassung|résumé|resumen|аннотация|резюме|摘要|highlights|significance(?: statement)?)$/u,
  ],
  ['introduction', /^(?:introduction|background|einleitung|introducción|введение|related work|motivation)\b/u],
  [
    'methods',
    /^(?:(?:materials?|patients|subjects|data)? ?(?:and )?methods?(?: and materials?)?|methodology|experimental(?: section| setup| procedures?)?|methoden|méthodes?|métodos|методы|study design|procedure)\b/u,
  ],
  ['results', /^(?:results?|findings|ergebnisse|résultats|resultados|результаты|evaluation|experiments)\b/u],
  ['discussion', /^(?:discussion|diskussion|discusión|обсуждение|limitations)\b/u],
  [
    'conclusion',
    /^(?:conclusions?|concluding remarks|schluss(?:folgerung)?|conclusión|выводы|заключение|outlook|future work)\b/u,
  ],
];

/** The part that a heading begins; undefined if it does not say so. */
export function sectionOfHeading(heading: string): HeadedSection | undefined {
  const plain = headingWords(heading);
  return HEADINGS.find(([, pattern]) => pattern.test(plain))?.[0];
}

const LONGEST_HEADING = 80;

/** "2.1 Materials & Methods:" → "materials and methods". */
function headingWords(heading: string): string {
  return heading
    .slice(0, LONGEST_HEADING)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('&', 'and')
    .replace(/^(?:[\divxlc]{1,6}[.)]?|[a-h][.)]|§)(?:\d{1,2}\.?){0,4}\s+/u, '')
    .replace(/(?<![\s:.–—-])[\s:.–—-]+$/u, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
