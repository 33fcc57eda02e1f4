import type { AST } from '@eslint-community/regexpp';
import { parseRegExpLiteral, visitRegExpAST } from '@eslint-community/regexpp';
import { parseSync, Visitor } from 'oxc-parser';

/** A regular expression as it stands in a source file. */
export interface SourcePattern {
  readonly source: string;
  readonly flags: string;
  readonly line: number;
}

/** Every regular expression that is written down in a file, and the lines where one is built from a string. */
export function patternsIn(
  path: string,
  text: string,
): { readonly patterns: SourcePattern[]; readonly built: number[] } {
  const patterns: SourcePattern[] = [];
  const built: number[] = [];
  const lineOf = (at: number): number => text.slice(0, at).split('\n').length;
  const call = (node: { readonly callee: { readonly type: string }; readonly start: number }): void => {
    if ('name' in node.callee && node.callee.name === 'RegExp') built.push(lineOf(node.start));
  };
  new Visitor({
    Literal: (node) => {
      if ('regex' in node)
        patterns.push({ source: node.regex.pattern, flags: node.regex.flags, line: lineOf(node.start) });
    },
    CallExpression: call,
    NewExpression: call,
  }).visit(parseSync(path, text).program);
  return { patterns, built };
}

/** Characters of which every class has one or more: letters, digits, spaces, marks and what markup is made of. */
const CANDIDATES = Array.from(
  'aA0 <>-./:;,"\'=[](){}&?#%@!*+_|\\^~`$\n\t\0éα中\u0301①“”·…≈²\u2010\u00ad\u00a0\ufe0e\u200b↩ⅳ٣İ',
);
/** Matched by hardly anything: makes an attempt fail at its end. */
const FAULT = '\u0001';
const MOST_BODIES = 6;

/**
 * Texts that make a backtracking engine work hardest on a pattern: whatever it repeats, repeated again and again, behind
 * what leads there, with an end that does not match. `size` characters each.
 */
export function attacksOn({ source, flags }: SourcePattern, size: number): Set<string> {
  const attacks = new Set<string>();
  const repeat = (unit: string): string => (unit === '' ? '' : unit.repeat(Math.ceil(size / unit.length)));
  visitRegExpAST(parseRegExpLiteral(`/${source}/${flags}`), {
    onQuantifierEnter: (node) => {
      if (node.max < 20) return;
      const prefix = before(node, flags);
      const next = after(node, flags);
      for (const body of bodies(node.element, flags)) {
        for (const end of ['', FAULT, `${next}${FAULT}`]) attacks.add(prefix + repeat(body) + end);
        attacks.add(repeat(prefix + body) + FAULT);
        attacks.add(repeat(prefix + body + next) + FAULT);
        attacks.add(prefix + repeat(body + next) + FAULT);
        attacks.add(`${repeat(body)}${FAULT}${next}`);
      }
    },
  });
  return attacks;
}

/** Texts that a repeated part matches: its shortest, and single characters it takes. */
function bodies(element: AST.Element, flags: string): string[] {
  const found = new Set<string>();
  const alternatives =
    element.type === 'Group' || element.type === 'CapturingGroup' ? element.alternatives : [undefined];
  for (const alternative of alternatives)
    found.add(alternative ? sampleAll(alternative.elements, flags) : sample(element, flags));
  const whole = new RegExp(`^(?:${element.raw})$`, flags.replaceAll(/[gy]/g, ''));
  for (const candidate of CANDIDATES) if (found.size < MOST_BODIES && whole.test(candidate)) found.add(candidate);
  found.delete('');
  return [...found];
}

/** What the pattern must have read when it comes to this node. */
function before(node: AST.Node, flags: string): string {
  let text = '';
  for (let at: AST.Node | null = node; at?.parent; at = at.parent) {
    const { parent } = at;
    if (parent.type === 'Alternative') {
      const elements = parent.elements as readonly AST.Node[];
      text = sampleAll(parent.elements.slice(0, elements.indexOf(at)), flags) + text;
    }
  }
  return text;
}

/** What it reads right after this node. */
function after(node: AST.Quantifier, flags: string): string {
  const { parent } = node;
  if (parent.type !== 'Alternative') return '';
  return sampleAll(parent.elements.slice(parent.elements.indexOf(node) + 1), flags);
}

function sampleAll(elements: readonly AST.Element[], flags: string): string {
  return elements.map((element) => sample(element, flags)).join('');
}

/** A short text that a part of a pattern matches. */
function sample(element: AST.Element, flags: string): string {
  switch (element.type) {
    case 'Character':
      return String.fromCodePoint(element.value);
    case 'Group':
    case 'CapturingGroup':
      return sampleAll(element.alternatives[0]?.elements ?? [], flags);
    case 'Quantifier':
      return sample(element.element, flags).repeat(Math.max(element.min, 0));
    case 'CharacterClass':
    case 'CharacterSet':
    case 'ExpressionCharacterClass': {
      const one = new RegExp(`^${element.raw}$`, flags.replaceAll(/[gy]/g, ''));
      return CANDIDATES.find((candidate) => one.test(candidate)) ?? '';
    }
    case 'Assertion':
    case 'Backreference':
      return '';
  }
}
