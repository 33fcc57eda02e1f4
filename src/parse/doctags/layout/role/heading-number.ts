interface HeadingNumber {
  readonly style: 'arabic' | 'roman' | 'letter' | 'appendix';
  /** "2.3.1" has three parts. */
  readonly depth: number;
  readonly rest: string;
}

const ARABIC =
  /^(?:(?:chapter|kapitel|chapitre|cap[ií]tulo|hoofdstuk|глава|section|part|§)\s*)?(\d{1,2}(?:\.\d{1,2}){0,4})[.):]?\s+(?:[|\u2502]\s+)?(?=\p{L})/iu;

const ROMAN = /^([IVX]{1,5})(?:\.\s*(?=[\p{L}\p{S}])|\s+(?=\p{Lu}))/u;

const APPENDIX = /^(?:appendix|annex)\s+([A-Z]|[IVX]+|\d+)(?:[.:]?\s+|[.:]?$)/iu;

const LETTER = /^([A-Z](?:\.\d{1,2}){0,3})(?:\.\s*|\)\s+|\s+)(?=\p{L})/u;

export function headingNumber(text: string): HeadingNumber | undefined {
  const arabic = ARABIC.exec(text);
  if (arabic?.[1] !== undefined) {
    const parts = arabic[1].split('.');
    // "4.75 V" is a quantity: no section has so many parts.
    if (parts.slice(1).some((part) => Number(part) > 40)) return undefined;
    return { style: 'arabic', depth: parts.length, rest: text.slice(arabic[0].length) };
  }
  const appendix = APPENDIX.exec(text);
  if (appendix) return { style: 'appendix', depth: 1, rest: text.slice(appendix[0].length) };
  const roman = ROMAN.exec(text);
  if (roman && /[.]/.test(roman[0])) return { style: 'roman', depth: 1, rest: text.slice(roman[0].length) };
  const letter = LETTER.exec(text);
  if (letter?.[1] !== undefined && (/[.)]/.test(letter[0]) || /\s{1}$/.test(letter[0]))) {
    // "A study of …" begins with an article, not with a number.
    if (!/[.)]/.test(letter[0]) && !/^[A-Z]\s+\p{Lu}/u.test(text)) return undefined;
    return { style: 'letter', depth: letter[1].split('.').length, rest: text.slice(letter[0].length) };
  }
  return undefined;
}

/** "Chapter 3", with its name or without. */
export function isChapter(text: string): boolean {
  return /^(?:chapter|kapitel|chapitre|cap[ií]tulo|hoofdstuk|глава)\s+(?:\d{1,2}|[IVX]{1,5})(?![\p{L}\d])/iu.test(text);
}

const COMMON =
  /^(?:abstract|summary|introduction|background|related works?|literature review|preliminaries|notation|motivation|overview|(?:materials? and )?methods?|methodology|methods and materials|experimental(?: (?:setup|section|procedures?))?|experiments?|evaluation|results?(?: and discussion)?|discussions?(?: and conclusions?)?|conclusions?(?: and future work)?|concluding remarks|future work|limitations|acknowledge?ments?|author contributions?|contributions|(?:declaration of )?competing interests?|conflicts? of interests?|funding|data availability(?: statement)?|code availability|ethics statement|references|bibliography|literature cited|works cited|references and notes|appendix|appendices|supplementary (?:information|materials?)|supporting information|statement of need|key ?words|contents|table of contents|references cited|notes|software)$/i;

const OTHER_LANGUAGES =
  /^(?:einleitung|einführung|hintergrund|material und methoden|methoden|methodik|ergebnisse|ergebnisse und diskussion|diskussion|schlussfolgerung(?:en)?|fazit|ausblick|danksagung|anhang|matériels? et méthodes|méthodes|méthodologie|résultats(?: et discussion)?|discussion|conclusions?|remerciements|annexes?|introducción|antecedentes|materiales y métodos|métodos|metodología|resultados(?: y discusión)?|discusión|conclusion(?:es)?|agradecimientos|introdução|materiais e métodos|resultados e discussão|discussão|conclusões|conclusão|agradecimentos|introduzione|materiali e metodi|metodi|risultati|discussione|conclusioni|ringraziamenti|введение|материалы и методы|методы|результаты(?: и обсуждение)?|обсуждение|заключение|выводы|благодарности|приложение)$/iu;

export function isCommonHeading(text: string): boolean {
  const name = text.replace(/[.:]$/, '').trim();
  return COMMON.test(name) || OTHER_LANGUAGES.test(name) || isAbstractHeading(name) || isReferencesHeading(name);
}

const BACK_MATTER =
  /^(?:acknowledge?ments?(?: and funding)?|(?:credit )?author(?:s|ship|s')? ?(?:contributions?|contribution statement|statement|information|details|disclosures?)(?: statement)?|credit authorship contribution statement|contributors?|funding(?: sources?| information| statement)?|financial (?:support|disclosures?)|sources? of (?:funding|support)|grant support|role of (?:the )?funding source|(?:declarations?|statement) of (?:competing |conflicting |conflicts? of )?(?:interests?|ethics)|declarations?|(?:potential )?conflicts? of interests?(?: statement| disclosures?)?|(?:competing|declaration of|financial) interests?(?: statement)?|disclosures?(?: statement)?|(?:availability of )?data(?:,| and)?(?: materials?| code)?(?: and (?:materials?|code))?(?: (?:availability|sharing|accessibility))?(?: statement)?|availability of (?:data|code|supporting data)(?: and materials?)?|(?:code|software|data|materials?) availability(?: statement)?|data sharing(?: statement)?|(?:electronic )?suppl(?:ementary|emental)(?: (?:information|materials?|data|files?))?|supporting information(?: available)?|additional (?:information|files?)|associated content|ethic(?:s|al) (?:approval|statement|considerations?|declarations?)(?: and (?:informed )?consent(?: to participate)?)?|statement of ethics|(?:informed |patient )?consent(?: for publication| to participate| statement)?|institutional review board statement|informed consent statement|provenance and peer review|abbreviations|notes and references|corresponding authors?|orcid(?: ids?)?|disclaimer|sample availability|peer review(?: information)?|reporting summary)$/i;

/** A name that sections after the conclusions have: funding, contributions, availability of data. */
export function isBackMatter(text: string): boolean {
  return BACK_MATTER.test(
    text
      .replace(/[’‘]/gu, "'")
      .replace(/(?<![\s.:])[\s.:]+$/u, '')
      .trim(),
  );
}

export function isAbstractHeading(text: string): boolean {
  return /^(?:abstract|summary|zusammenfassung|kurzfassung|résumé|sommaire|resumen|resumo|riassunto|samenvatting|sammanfattning|sammendrag|tiivistelmä|аннотация|реферат|анотація|streszczenie|abstrakt|özet|öz|περίληψη|tóm tắt|摘\s*要|要\s*旨|要\s*約|抄\s*録|(?:국문)?초\s*록|요\s*약|(?:ال)?ملخص|چکیده|תקציר)$/iu.test(
    text.replace(/[.:]$/, '').trim(),
  );
}

/** The heading above the list of references; on slides it may be counted ("References II"). */
export function isReferencesHeading(text: string): boolean {
  const name = (headingNumber(text)?.rest ?? text).replace(/[.:]$|\s(?:[IVX]{1,5}|\(?\d\/\d\)?)$/, '').trim();
  return /^(?:references?|bibliography|literature cited|works cited|references and notes|references cited|literature|cited literature|literatur|literaturverzeichnis|quellenverzeichnis|références(?: bibliographiques)?|bibliographie|referencias(?: bibliográficas)?|bibliografía|referências(?: bibliográficas)?|riferimenti(?: bibliografici)?|bibliografia|literatuur(?:lijst)?|referenties|referenser|litteratur|referanser|literatura(?: cytowana)?|piśmiennictwo|kaynaklar|kaynakça|βιβλιογραφία|αναφορές|литература|література|библиографический список|список (?:использованной |використаної )?(?:литературы|літератури)|tài liệu tham khảo|参考文献|引用文献|参考文獻|참\s*고\s*문\s*헌|(?:ال)?مراجع|منابع|מקורות|ביבליוגרפיה)$/iu.test(
    name,
  );
}

const KEYWORDS =
  /^(?:key\s?-?words?(?: and phrases)?|index terms|subject headings|schlagwörter|schlüsselwörter|mots[ -]clés|palabras clave|palavras-chave|parole chiave|trefwoorden|ключевые слова|关键词)\s*(?<end>[:.—–-]|$)/iu;

/** The list of subjects under an abstract is a separate paragraph. */
export function isKeywords(text: string): boolean {
  return (KEYWORDS.exec(text)?.groups?.end ?? '') !== '';
}

export function isHowToCite(text: string): boolean {
  return /^(?:cite this|citation\s?:|how to cite|to cite this)/i.test(text);
}

/** The label of that list, which heads no section. */
export function isKeywordsLabel(text: string): boolean {
  return KEYWORDS.exec(text)?.[0].length === text.trim().length;
}

const TYPE_WORDS =
  /^(?:research|original|review|reviews|systematic|short|brief|rapid|case|data|technical|clinical|basic|full|regular|invited|topical|mini|special|research|open|access|free|article|articles|paper|papers|report|reports|communication|communications|descriptor|letter|letters|editorial|commentary|comment|perspective|perspectives|viewpoint|opinion|protocol|study|trial|experimental|observational|method|methods|note|notes|news|guideline|guidelines|correspondence|registered|meta|analysis|science|investigation|contribution|contributions|software|resource|focus|section|feature|features|and|of|the|in|to|series|policy|practice|forum|essay|hypothesis|education|brief|book|overview|update|insight|highlights|spotlight|primer|preprint|manuscript|accepted|author|peer|reviewed|version|early|view|online|first)$/iu;

/** The kind of article or a banner ("Research Article", "OPEN ACCESS", "Study Protocol Clinical Trial"), not what it is about. */
export function isArticleType(text: string): boolean {
  const words = text.split(/[^\p{L}]+/u).filter((word) => word !== '');
  return words.length > 0 && words.length <= 6 && words.every((word) => TYPE_WORDS.test(word));
}
