import { KNOWN_SOFTWARE } from './known-software.ts';
import type { NameCue } from './software-names.ts';
import { NamesIn } from './software-names.ts';

/** A program that a text names. */
export interface SoftwareMention {
  readonly paragraph: number;
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly version: string | undefined;
  /** What tells that it is a program. */
  readonly reason: 'known' | 'called software' | 'version' | 'maker' | 'address' | 'named before';
}

export const SOFTWARE_VERSION = 1;

const ANYTHING = /$/;
const NAME_ENDS = /^(?:[\s,.;:()'’"”]|$)/u;

/** Where the name of a program stands, by what tells so. */
const CUES: readonly (NameCue & { readonly reason: SoftwareMention['reason'] })[] = [
  {
    reason: 'called software',
    before: ANYTHING,
    behind:
      /^®?™?(?:,? ?\(?(?:version|versions|ver\.?|v\.?|release|rel\.?) ?(?<version>\d[\w.-]{0,20})\)?| (?<number>\d{1,4}\.\d[\w.]{0,20})| \d{1,4})?®?™?,? (?:(?:statistical|statistics|analysis|imaging|image|computer|online|data|database|graphics|modell?ing|desktop|mapping|prediction|clustering|alignment|visuali[sz]ation|R) ){0,3}(?:softwares?|programs?|programme|packages?|toolbox|toolkit|plug-?ins?|web ?server|web ?tool|tool|suite|script|application|pipeline|macro|add-?in|browser|solver)\b/u,
  },
  {
    reason: 'called software',
    before:
      /\b(?:software|program|programme|package|plug-?in|toolbox|pipeline|web server|tool|application|workflow system|system|interface)s?,?(?: (?:called|named|termed|known as|such as(?: the)?|like|entitled)| packages?),? (?:the )?$/u,
    behind: NAME_ENDS,
  },
  {
    reason: 'called software',
    before: /\b(?:software|programme|package|plug-?in|toolbox|web server) (?:the )?["'“‘]?$/u,
    behind: NAME_ENDS,
  },
  {
    reason: 'called software',
    before: /\b(?:software|program|programme|package|plug-?in|tool|toolbox)s? \($/u,
    behind: /^(?:,? (?:v|ver|version|\d)|\)|;)/u,
  },
  {
    reason: 'called software',
    before:
      /\b(?:R|Python|Bioconductor|Perl|MATLAB|Matlab) (?:packages?|librar(?:y|ies)|modules?|functions?|toolbox(?:es)?) ["'“‘]?$/u,
    behind: /^["'”’]?(?:[\s,.;:()'’"”]|$)/u,
    small: true,
  },
  {
    reason: 'version',
    before: ANYTHING,
    behind:
      /^®?™?,? ?(?:\([^()]{0,40}?)?,? ?\(?(?:version|versions|ver\.?|v\.?|release|rel\.?) ?(?<version>\d[\w.-]{0,20})/u,
  },
  {
    reason: 'version',
    before: /\b(?:using|with|by|in|and|via|through|of)(?: the)? $/u,
    behind: /^®?™? (?<number>\d{1,4}\.\d[\w.]{0,20})/u,
  },
  {
    reason: 'maker',
    before: /\b(?:using|with|by|in|and|via|through|into|of|on)(?: the)? $/u,
    behind:
      /^®?™?(?: \d[\d.]{0,20})?,? \((?=[^()]{0,90}\b(?:Inc|Corp|Corporation|GmbH|Ltd|LLC|Software|SoftWare|Systems|Technologies|Institute|Foundation|Team|Redmond|Chicago|Cary|Natick|College Station|San Diego|La Jolla)\b)/u,
  },
  {
    reason: 'address',
    before: ANYTHING,
    behind: /^ ?\((?:available (?:at|from) )?(?:https?:\/\/|www\.)/u,
  },
];

/** What a paragraph must hold for each of the cues, in their order, to be worth looking for: it costs next to nothing to see. */
const NEEDS: readonly RegExp[] = [
  /software|program|package|tool|plug-?in|server|suite|script|application|pipeline|macro|add-?in|browser|solver/,
  /called|named|termed|known as|such as|like|entitled|packages?/,
  /software|programme|package|plug-?in|toolbox|web server/,
  /(?:software|programm?e?|package|plug-?in|tool|toolbox)s? \(/,
  /(?:R|Python|Bioconductor|Perl|MATLAB|Matlab) (?:package|librar|module|function|toolbox)/,
  /versions? ?\d|ver\.? ?\d|v\.? ?\d|rel(?:ease|\.)? ?\d/,
  /\d\.\d/,
  /\([^()]{0,90}(?:Inc|Corp|GmbH|Ltd|LLC|Soft[wW]are|Systems|Technologies|Institute|Foundation|Team|Redmond|Chicago|Cary|Natick|College|San Diego|La Jolla)/,
  /\((?:available )?(?:at |from )?(?:https?:|www\.)/,
];

/** Words that look like names where they stand and are none. */
const NO_NAMES =
  /^(?:The|This|These|That|Our|We|All|An?|Each|For|In|As|By|To|It|Its|Both|Using|Statistical|Data|Analysis|Analyses|Software|Statistics|Version|Figure|Fig|Figs|Table|Tables|Supplementary|Methods?|Results?|DNA|RNA|PCR|qPCR|RT-PCR|ELISA|MRI|CT|ANOVA|SD|SEM|CI|USA|UK|US|Inc|Ltd|Corp|Corporation|GmbH|Company|Co|University|Institute|Department|Center|Centre|National|International|American|European|Student|Fisher|Kruskal-Wallis|Mann-Whitney|Wilcoxon|Chi|Cox|Kaplan-Meier|Bonferroni|Tukey|Pearson|Spearman|Bayesian|Markov|Monte Carlo|Gaussian|Poisson|Boolean|Internet|Web|World|Human|Mouse|Rat|Image|Images|Computer|Microsoft|Adobe|IBM|Apple|Leica|Zeiss|Nikon|Olympus|Bio-Rad|Applied Biosystems|Invitrogen|Roche|Sigma|Illumina|Affymetrix|Agilent|However|Finally|Then|First|Second|Third|Briefly|Next|Moreover|Furthermore|Since|When|While|After|Before|If|A|I|II|III|IV|B|C|D|E|F|G|H|N|P|S|T|X|Y|Z|PC|CPU|GPU|HTML|XML|PDF|URL|HIV|EU|NHS|WHO|FDA|NIH)$/u;
const LOWER_NAMES =
  /^(?:for|that|which|was|were|is|are|has|have|had|with|and|the|used|using|from|in|of|to|on|by|can|could|will|would|may|we|to|package|packages|software|program|programs|tool|tools|version|versions|system|systems|based|developed|available|such|called|named|which|provided|provides|allows|written|implemented|designed|running|run|environment|suite|code|codes|interface|license|licence|engineering|development|developer|developers|user|users|error|errors|support|module|name|names|itself|also|library|then|this|these|our|their|where|when|as|at|or|not|but|including|consisting|does|do|did|it|its|within|under|over|into|through|between|during|after|before|both|all|each|other|solution|solutions|training|project|projects|evaluation|staff|implementation|participants|activities|goals|manager|coordinator|director|outcomes|components|content|delivery|design|planning|insert|inserts|size|sizes)$/;
const MAKERS =
  /^(?:Microsoft|Adobe|IBM|Leica|Zeiss|Nikon|Olympus|Bio-Rad|BD|Agilent|Affymetrix|Illumina|Applied Biosystems|Bruker|Thermo|Roche|Invitrogen|Philips|Siemens|GE|Sigma|Waters)\s/u;
const LEADING = /^(?:The|A|An|Our|Using|With|By|In|And|Statistical|We|This)\s/u;

/** Finds the programs that the paragraphs of one document name; one that is told to be a program is one wherever it stands. */
export function findSoftware(paragraphs: readonly string[]): SoftwareMention[] {
  const found: SoftwareMention[] = [];
  const told = new Map<string, SoftwareMention['reason']>();
  const take = (mention: SoftwareMention): void => {
    const overlaps = found.some(
      (other) => other.paragraph === mention.paragraph && other.start < mention.end && mention.start < other.end,
    );
    if (!overlaps) found.push(mention);
  };
  for (const [paragraph, text] of paragraphs.entries()) {
    const names = new NamesIn(text);
    for (const [at, cue] of CUES.entries())
      for (const { raw, start: from, version } of NEEDS[at]?.test(text) === false ? [] : names.told(cue)) {
        const name = trimmed(raw);
        if (name === undefined) continue;
        const start = from + raw.indexOf(name);
        if (isMaker(text, start, start + name.length)) continue;
        take({ paragraph, start, end: start + name.length, name, version, reason: cue.reason });
        if (isDistinct(name)) told.set(name, cue.reason);
        for (const other of listedWith(text, start + name.length, names)) {
          take({ paragraph, ...other, version: undefined, reason: cue.reason });
          told.set(other.name, cue.reason);
        }
      }
  }
  const byFirst = Map.groupBy(
    [...told.keys()].sort((a, b) => b.length - a.length),
    firstWord,
  );
  for (const [paragraph, text] of paragraphs.entries())
    for (const match of text.matchAll(WORDS)) {
      const isHere = (each: string): boolean => standsAt(text, match.index, each);
      const name = byFirst.get(match[0])?.find(isHere) ?? KNOWN_BY_FIRST.get(match[0])?.find(isHere);
      if (name === undefined || isMaker(text, match.index, match.index + name.length)) continue;
      const end = match.index + name.length;
      const reason = KNOWN_SOFTWARE.has(name) ? 'known' : 'named before';
      take({ paragraph, start: match.index, end, name, version: versionBehind(text, end), reason });
    }
  return found.sort((a, b) => a.paragraph - b.paragraph || a.start - b.start);
}

/** Known programs by the first word of their names, the longest first. */
const KNOWN_BY_FIRST = Map.groupBy(
  [...KNOWN_SOFTWARE].sort((a, b) => b.length - a.length),
  firstWord,
);

const WORDS = /(?<![\p{L}\d.-])[\p{L}\d]+/gu;

function firstWord(name: string): string {
  return /^[\p{L}\d]+/u.exec(name)?.[0] ?? '';
}

function standsAt(text: string, at: number, name: string): boolean {
  return text.startsWith(name, at) && !/^[\p{L}\d+*/-]/u.test(text.slice(at + name.length, at + name.length + 2));
}

function trimmed(raw: string): string | undefined {
  let name = raw.replace(/(?<!['’"”.,])['’"”.,]+$/u, '');
  while (LEADING.test(name)) name = name.replace(LEADING, '');
  if (MAKERS.test(name) && name.split(' ').length > 1) name = name.replace(MAKERS, '');
  name = name.replace(/\s(?:Software|Package|Program|Version|Statistical)$/u, '');
  if (name.length < 2 && name !== 'R') return undefined;
  if (/^(?:Supplementary|National|Figure|Table|University)\b|\b(?:et al|University|Institutes?)\b/u.test(name))
    return undefined;
  if (NO_NAMES.test(name) || LOWER_NAMES.test(name.toLowerCase()) || /^\d+$/.test(name)) return undefined;
  return name;
}

/** In brackets behind a program, or with Inc. and the like behind it, the name is that of the company. */
function isMaker(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 14), start);
  const after = text.slice(end, end + 24);
  if (/^,? (?:Inc|Institute|Corp|Co\b|Ltd|GmbH|LLC|Systems|Technologies|Global|Development)/u.test(after)) return true;
  return /[(;] ?$/u.test(before) && /^,? (?:an )?(?:IBM|\p{Lu}\p{Ll}+)(?: \p{Lu}\p{Ll}+)?[,;)]/u.test(after);
}

const LISTED = /^ ?(?:\d[\d.]{0,20})?(?: ?\([^()]{2,60}\))?(?:,? (?:and|or)|,)(?: the)? /u;

/** Names that stand in one list with a program: "Taverna (Oinn 2004), Kepler (Altintas 2004) or BioSide". */
function listedWith(
  text: string,
  from: number,
  names: NamesIn,
): { readonly name: string; readonly start: number; readonly end: number }[] {
  const found: { name: string; start: number; end: number }[] = [];
  let at = from;
  while (found.length < 12) {
    const lead = LISTED.exec(text.slice(at, at + 120))?.[0].length;
    if (lead === undefined) break;
    const raw =
      names
        .at(at + lead)
        .find((each) => /^[\s,.;:()]/u.test(text.slice(at + lead + each.length, at + lead + each.length + 1))) ?? '';
    const name = trimmed(raw);
    if (name === undefined || !/\p{Ll}\p{Lu}|\p{Lu}{3}|\p{L}\d/u.test(name) || name.includes(' ')) break;
    const start = at + lead + raw.indexOf(name);
    found.push({ name, start, end: start + name.length });
    at = start + name.length;
  }
  return found;
}

/** A name that means the program wherever it stands: no ordinary word. */
function isDistinct(name: string): boolean {
  return (
    name.length > 2 &&
    /\p{Lu}.*\p{Lu}|\d|\p{Ll}\p{Lu}/u.test(name) &&
    !/^(?:[a-z]{1,2}[DR]NA|Supplementary .*|National .*)$/u.test(name)
  );
}

function versionBehind(text: string, end: number): string | undefined {
  return /^®?™?,? ?\(?(?:version|ver\.?|v\.?)? ?(?<version>\d+(?:\.\d+[\w.]*)+)/iu.exec(text.slice(end, end + 40))
    ?.groups?.['version'];
}
