import type { Role, Voice } from './prose/index.ts';
import type { Stream } from './random.ts';

/** The outline of a section. */
export interface Plan {
  readonly role: Role;
  readonly number: string;
  readonly title: string;
  /** Paragraphs of the section itself, then of each subsection. */
  readonly parts: readonly number[];
  /** What follows each paragraph. */
  readonly extras: readonly {
    readonly part: number;
    readonly paragraph: number;
    readonly kind: 'table' | 'figure' | 'formula' | 'list' | 'note';
  }[];
}

// In paper order; the number is the minimum number of sections at which each one is included.
const OUTLINE: readonly (readonly [Role, number])[] = [
  ['introduction', 4],
  ['background', 6],
  ['methods', 4],
  ['methods', 9],
  ['results', 4],
  ['results', 8],
  ['discussion', 5],
  ['limitations', 7],
  ['conclusion', 4],
];

const HOMES: Readonly<Record<Plan['extras'][number]['kind'], readonly Role[]>> = {
  table: ['results', 'methods', 'discussion'],
  figure: ['results', 'discussion', 'methods'],
  formula: ['methods', 'background', 'results'],
  list: ['methods', 'introduction', 'background'],
  note: ['methods', 'introduction', 'results'],
};

/** Plans 4 to 9 sections of 2 to 6 paragraphs, at most about thirty paragraphs, and the floats between them. */
export function planSections(voice: Voice, random: Stream): Plan[] {
  const size = random.pick([4, 5, 5, 6, 6, 7, 7, 8, 9]);
  const roles = OUTLINE.filter(([, from]) => size >= from).map(([role]) => role);
  const plans = roles.map((role, index) => {
    const paragraphs = random.integer(2, size >= 7 ? 4 : 6);
    const title = sectionTitle(voice, role, roles.indexOf(role) < index, random);
    const parts =
      paragraphs >= 4 && role !== 'introduction' && random.chance(0.8) ? split(paragraphs, random) : [paragraphs];
    return { role, number: String(index + 1), title, parts, extras: [] as Plan['extras'][number][] };
  });
  const counts = {
    table: random.pick([0, 1, 1, 1, 1, 2, 2, 2, 3, 3]),
    figure: random.pick([0, 1, 1, 2]),
    formula: random.pick([0, 0, 1, 2]),
    list: random.pick([0, 1, 1, 2]),
    note: random.pick([0, 1, 2]),
  };
  for (const kind of Object.keys(counts) as (keyof typeof counts)[]) {
    for (let index = 0; index < counts[kind]; index++) place(plans, kind, random);
  }
  return plans;
}

/** The last section name of a kind is reserved for its second section. */
function sectionTitle(voice: Voice, role: Role, isSecond: boolean, random: Stream): string {
  const titles = voice.grammar.headings[role];
  if (isSecond) return titles.at(-1) ?? role;
  return random.pick(role === 'methods' || role === 'results' ? titles.slice(0, -1) : titles);
}

function split(paragraphs: number, random: Stream): number[] {
  const own = random.integer(1, paragraphs - 3);
  const rest = paragraphs - own;
  const first = Math.ceil(rest / 2);
  return [own, first, rest - first];
}

/** Places a float after a free paragraph in the best matching section. */
function place(
  plans: readonly (Plan & { extras: Plan['extras'][number][] })[],
  kind: Plan['extras'][number]['kind'],
  random: Stream,
): void {
  for (const role of HOMES[kind]) {
    const free = plans
      .filter((plan) => plan.role === role)
      .flatMap((plan) =>
        plan.parts.flatMap((count, part) =>
          Array.from({ length: count }, (_unused, paragraph) => ({ plan, part, paragraph })).filter(
            (spot) => !plan.extras.some((extra) => extra.part === part && extra.paragraph === spot.paragraph),
          ),
        ),
      );
    if (free.length === 0) continue;
    const { plan, part, paragraph } = random.pick(free);
    plan.extras.push({ part, paragraph, kind });
    return;
  }
}
