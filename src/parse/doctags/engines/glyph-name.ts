import { isOpaque, usableText } from '../layout/text/glyph-text.ts';
import type { SymbolEncoding } from '../layout/text/symbol-encoding.ts';
import { symbolAt } from '../layout/text/symbol-encoding.ts';

/** Names of glyphs that papers use besides letters (Adobe Glyph List). */
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  `alpha=α beta=β gamma=γ delta=δ epsilon=ε epsilon1=ϵ zeta=ζ eta=η theta=θ theta1=ϑ iota=ι kappa=κ lambda=λ mu=μ mu1=µ
nu=ν xi=ξ omicron=ο pi=π rho=ρ sigma=σ sigma1=ς tau=τ upsilon=υ phi=φ phi1=ϕ chi=χ psi=ψ omega=ω omega1=ϖ Alpha=Α Beta=Β
Gamma=Γ Delta=Δ increment=Δ Epsilon=Ε Zeta=Ζ Eta=Η Theta=Θ Iota=Ι Kappa=Κ Lambda=Λ Mu=Μ Nu=Ν Xi=Ξ Omicron=Ο Pi=Π Rho=Ρ
Sigma=Σ summation=∑ Tau=Τ Upsilon=Υ Phi=Φ Chi=Χ Psi=Ψ Omega=Ω ohm=Ω product=∏ plusminus=± minusplus=∓ multiply=×
divide=÷ minus=− plus=+ equal== notequal=≠ less=< greater=> lessequal=≤ greaterequal=≥ lessorequalslant=≤ greaterorequalslant=≥
approxequal=≈ similar=∼ similarequal=≃ equivalence=≡ proportional=∝ infinity=∞ partialdiff=∂ gradient=∇ integral=∫ radical=√
element=∈ notelement=∉ intersection=∩ union=∪ propersubset=⊂ propersuperset=⊃ reflexsubset=⊆ reflexsuperset=⊇ logicaland=∧
logicalor=∨ logicalnot=¬ existential=∃ universal=∀ therefore=∴ perpendicular=⊥ angle=∠ circleplus=⊕ circlemultiply=⊗
emptyset=∅ aleph=ℵ weierstrass=℘ arrowleft=← arrowright=→ arrowup=↑ arrowdown=↓ arrowboth=↔ arrowdblright=⇒
arrowdblleft=⇐ arrowdblboth=⇔ dotmath=⋅ periodcentered=· middot=· bullet=• openbullet=° degree=° ring=˚ minute=′ prime=′
second=″ asteriskmath=∗ asterisk=* dagger=† daggerdbl=‡ section=§ paragraph=¶ copyright=© copyrightserif=© copyrightsans=©
registered=® registerserif=® registersans=® trademark=™ trademarkserif=™ trademarksans=™ ellipsis=… endash=– emdash=— hyphen=-
sfthyphen=- quoteleft=‘ quoteright=’ quotedblleft=“ quotedblright=” quotesingle=' quotedbl=" quotesinglbase=‚
guillemotleft=« guillemotright=» perthousand=‰ percent=% ampersand=& numbersign=# dollar=$ at=@ slash=/ fraction=⁄
backslash=\\ bar=| brokenbar=¦ parenleft=( parenright=) bracketleft=[ bracketright=] braceleft={ braceright=} angleleft=⟨
angleright=⟩ period=. comma=, colon=: semicolon=; exclam=! question=? questiondown=¿ exclamdown=¡ underscore=_ asciitilde=~
asciicircum=^ grave=\` acute=´ circumflex=ˆ tilde=˜ macron=¯ breve=˘ dotaccent=˙ dieresis=¨ cedilla=¸ hungarumlaut=˝
ogonek=˛ caron=ˇ dotlessi=ı dotlessj=ȷ zero=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 onehalf=½
onequarter=¼ threequarters=¾ onesuperior=¹ twosuperior=² threesuperior=³ AE=Æ ae=æ OE=Œ oe=œ Oslash=Ø oslash=ø Lslash=Ł
lslash=ł germandbls=ß eth=ð Eth=Ð thorn=þ Thorn=Þ Aring=Å aring=å angstrom=Å sterling=£ yen=¥ Euro=€ euro=€ cent=¢ florin=ƒ
currency=¤ ff=ff fi=fi fl=fl ffi=ffi ffl=ffl Th=Th heart=♥ club=♣ diamond=♦ spade=♠ lozenge=◊ female=♀ male=♂ checkmark=✓
filledbox=■ square=□ triangle=△ arrowhookleft=↩ star=⋆ Ifractur=ℑ Rfractur=ℜ estimated=℮ numero=№ ordfeminine=ª
ordmasculine=º`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, entry.indexOf('=', 1)), entry.slice(entry.indexOf('=', 1) + 1)]),
);

const ACCENTS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circumflex: '\u0302',
  tilde: '\u0303',
  macron: '\u0304',
  breve: '\u0306',
  dotaccent: '\u0307',
  dieresis: '\u0308',
  ring: '\u030a',
  caron: '\u030c',
  cedilla: '\u0327',
  ogonek: '\u0328',
};

/** The text that a glyph's name stands for; undefined when the name says nothing. */
export function textOfName(name: string, encoding: SymbolEncoding | undefined): string | undefined {
  const numbered = /^C(\d{1,3})$/.exec(name);
  // 3B2 names glyphs by their code in the font that they were taken from.
  if (numbered) {
    const code = Number(numbered[1]);
    if (encoding) return symbolAt(encoding, code);
    return code > 0xa0 && code <= 0xff ? String.fromCodePoint(code) : undefined;
  }
  // Large signs and alternative forms of a letter are the letter.
  const base = (name.split('.')[0] ?? '').replace(/(?<=[a-z]{4})(?:[bB]igg?|text|display|tp)$/, '');
  const parts = base.split('_').map((part) => textOfPart(part));
  return base !== '' && parts.every((part) => part !== undefined) ? parts.join('') : undefined;
}

function textOfPart(name: string): string | undefined {
  const known = NAMES[name];
  if (known !== undefined) return known;
  if (/^[A-Za-z]$/.test(name)) return name;
  const code = /^(?:uni([0-9A-F]{4})|u([0-9A-F]{4,6}))$/.exec(name);
  if (code) {
    const value = parseInt(code[1] ?? code[2] ?? '', 16);
    return value > 0x10ffff || isOpaque(value) ? undefined : usableText(value, false, '');
  }
  const accented =
    /^([A-Za-z])(grave|acute|circumflex|tilde|macron|breve|dotaccent|dieresis|ring|caron|cedilla|ogonek)$/.exec(name);
  return accented ? `${accented[1]}${ACCENTS[accented[2] ?? ''] ?? ''}`.normalize('NFC') : undefined;
}
