/**
 * Short texts, in lower case, by which a page says that it shows only a part of the text or sells it. A page that sells
 * a print, rights or a whole issue may still show the text.
 */
const OFFERS: readonly RegExp[] = [
  // English
  /(?:^|[^\p{L}\s] ?|\bor )(?:buy|purchase|rent|pay for) (?:(?:this|the|an?|single|individual|full|complete|entire|whole|digital|electronic|online|instant|immediate|short|term|short-term|journal|article|chapter|book|\d{1,2}[- ]?hours?|\d{1,2}[- ]?days?) ){0,5}(?:pdf|article|paper|chapter|text|full[- ]?text|content|access|entry|document|item|download|version)\b/u,
  /\bpay[- ]per[- ](?:view|article|download)\b/,
  /^(?:article|chapter|paper|document|content|text|(?:first )?page) preview$/,
  /\bpreview of (?:subscription|purchased|paid|(?:this|the) (?:article|chapter|paper|document|book|publication|full text|text|content|first page))\b/,
  /^section snippets$/,
  /\b(?:you|institution|organi[sz]ation|library|computer)\b.{0,40}\b(?:not|don[’']t|doesn[’']t)\b.{0,20}\bhave (?:full )?access\b/,
  /\bnot registered by an institution with a subscription\b/,
  /\b(?:get|gain|unlock|request|obtain|need) (?:full |immediate |instant |online |complete |unlimited ){0,2}access to (?:this|the) (?:full|complete|entire|whole|article|chapter|paper|content|document|version)\b/,
  /\b(?:log ?in|sign ?in|register|subscribe|subscription|purchase|pay|buy|join)\b.{0,60}\bto (?:read|view|access|see|unlock|continue|download)\b.{0,20}\b(?:full|complete|entire|rest|remainder|whole|reading)\b/,
  /\bto (?:read|view|access|see|continue)\b.{0,30}\b(?:full|complete|entire|rest|remainder|whole|reading)\b.{0,60}\b(?:log ?in|sign ?in|subscribe|subscription|purchase|buy|register|join)\b/,
  /\b(?:full|complete|entire|this) (?:text|article|content|paper|chapter|document)\b.{0,30}\b(?:available|accessible|restricted|limited|reserved)\b.{0,20}\b(?:subscribers|members|purchase|subscription|subscribing)\b/,
  /\b(?:subscription|purchase|payment|authentication) (?:is )?required\b|\brequires (?:an? )?(?:active )?(?:subscription|purchase|payment|authentication)\b/,
  /^(?:view |see |show |check )?(?:all )?(?:access|purchase|access and purchase|purchase and access|access (?:and|&) subscription) options\b/,
  /\bsubscribe to (?:read|continue|access|view)\b|\bunlock the (?:full|complete)\b/,
  // German
  /\b(?:artikel|aufsatz|beitrag|kapitel|pdf|volltext|zugang|zugriff)\b.{0,15}\b(?:kaufen|erwerben|leihen|freischalten)\b|\bkeinen? (?:zugang|zugriff)\b|\bnur für abonnenten\b/,
  // French
  /\b(?:acheter|louer) (?:(?:cet|ce|cette|le|la|un|en) ?|l['’]){0,2}(?:article|pdf|chapitre|texte|accès|document|extrait)\b|\baccès (?:réservé|restreint|payant)\b|\bréservée?s? aux abonnés\b|\bvous n['’]avez pas accès\b|\bpour lire la suite\b/,
  // Spanish, Portuguese, Italian
  /\b(?:comprar|alquilar|alugar) (?:(?:este|el|o|un|um) ){0,2}(?:artículo|artigo|pdf|capítulo|texto|acceso|acesso)\b|\b(?:acceso|acesso|accesso) (?:restringido|restrito|riservato)\b|\bs[oó]lo para suscriptores\b|\bacquista (?:l['’]|il )?(?:articolo|pdf|accesso)\b/,
  // Russian
  /купить (?:статью|доступ|полный текст|pdf)|доступ (?:ограничен|платный|по подписке)/,
  // Chinese, Japanese, Korean
  /购买(?:本文|全文|文章|此文|pdf)|付费(?:阅读|下载|全文)|登录后(?:阅读|查看)全文|(?:本文|論文|記事|全文).{0,6}(?:購入|有料)|有料(?:記事|会員)|会員限定|(?:논문|원문|기사).{0,4}구매/,
];

/** Short texts that invite readers to sign in. Sites show them on every page, also above a text that is open to all. */
const SIGN_INS: readonly RegExp[] = [
  /\baccess (?:[a-z]{1,10} ){0,3}(?:through|via|with) (?:your|an|my) (?:institution|organi[sz]ation|library|university|society|subscription|membership)\b/,
  /\bzugang über (?:ihre|eine) institution\b/,
  /\baccès (?:par|via) (?:votre|une) (?:institution|établissement|bibliothèque)\b/,
  /\b(?:acceso|acesso|accesso) (?:a través de|por|através d[ae]|tramite) (?:su|una?|sua|uma|la tua) (?:institución|instituição|istituzione|biblioteca|universidad)\b/,
];

/** "48-hour access $12", "PDF 39,95 €". */
const PRICE = /(?:[$€£¥]|\b(?:usd|eur|gbp|chf)\b) ?\d|\d ?(?:€|£|\b(?:usd|eur|gbp|chf)\b)/;
const PRICED = /\b(?:pdf|access|article|chapter|download|full text|rent)\b/;
/** A subscription to the site may be advertised beside a text. */
const PERIODIC = /\b(?:months?|monthly|weeks?|weekly|years?|yearly|annual|annually)\b/;
/** Sold beside an open text, or paid by its authors. */
const BESIDE =
  /\b(?:print|printed|prints|reprints?|permissions?|rights|hard ?copy|paperback|hardcover|poster|issue|back issues|processing|publication|publishing|charges?|fees?|apc)\b/;
const MOST_WORDS_OF_AN_OFFER = 40;
const MOST_WORDS_OF_A_PRICE = 12;

/** Whether a short text of a page sells the text itself, or says that the page shows only its beginning. */
export function offersText(notice: string): boolean {
  const text = normalized(notice);
  const words = text.split(' ').length;
  if (words > MOST_WORDS_OF_AN_OFFER || BESIDE.test(text)) return false;
  return (
    OFFERS.some((offer) => offer.test(text)) ||
    (words <= MOST_WORDS_OF_A_PRICE && PRICE.test(text) && PRICED.test(text) && !PERIODIC.test(text))
  );
}

/** Whether a short text of a page asks readers to sign in for access, which says nothing about what the page shows. */
export function invitesToSignIn(notice: string): boolean {
  const text = normalized(notice);
  return text.split(' ').length <= MOST_WORDS_OF_AN_OFFER && SIGN_INS.some((invitation) => invitation.test(text));
}

function normalized(notice: string): string {
  return notice.toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
