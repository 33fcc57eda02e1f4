import type { Screening } from '../answers.ts';
import { chart } from '../charts.ts';
import { counted, number } from '../format.ts';
import type { View } from '../scene.ts';
import { html, shown, useAnswer, useScene } from '../scene.ts';
import type { Phase } from './screen-card.ts';
import { SAID } from './screen-card.ts';

type Choice = Screening['next'][number]['decisions'][number]['decision'];

interface Made {
  readonly decided: number;
  /** After how many decisions each included work was found. */
  readonly included_at: readonly number[];
  readonly decisions: readonly {
    readonly work: string;
    readonly title: string;
    readonly decision: Choice;
    readonly reason: string | null;
  }[];
}

/** What one has decided, to come back to, and how often something was included: loaded when it is opened. */
export function Decided({ by, phase }: { readonly by: string; readonly phase: Phase }): View {
  const { query, set } = useScene();
  const isOpen = query.has('decided');
  return html`<details
    class="made"
    open=${isOpen}
    onToggle=${(event: Event) => set({ decided: (event.target as HTMLDetailsElement).open ? 'shown' : '' })}
  >
    <summary>Your decisions</summary>
    ${isOpen && html`<${MadeList} by=${by} phase=${phase} />`}
  </details>`;
}

function MadeList({ by, phase }: { readonly by: string; readonly phase: Phase }): View {
  const { runPath, place, query } = useScene();
  const made = useAnswer<Made>(runPath('screening', 'decided'), { by, phase });
  const path = phase === 'full-text' ? '/full-texts' : '/screen';
  return shown(
    made,
    ({ decided, included_at: found, decisions }) => html`
      ${decided > 1 && curve(decided, found)}
      <ol>
        ${decisions.map(
          ({ work, title, decision, reason }) =>
            html`<li key=${work}>
              <strong class=${decision}>${SAID[decision]}</strong>${' '}
              <a
                href=${place(path, { by, mark: query.get('mark'), settle: work, decided: 'shown' })}
                title="Decide again"
                >${title}</a
              >
              ${reason !== null && html`<small> ${reason}</small>`}
            </li>`,
        )}
      </ol>
      ${decided > decisions.length && html`<p class="hint">The last ${decisions.length} of ${number(decided)}.</p>`}
    `,
  );
}

/** Included works against decisions: where the line is flat, hardly anything was found. */
function curve(decided: number, found: readonly number[]): View {
  const [width, height] = [300, 90];
  const x = (at: number): number => (at / decided) * width;
  const y = (count: number): number => height - 2 - (count / Math.max(1, found.length)) * (height - 4);
  const steps = found.map((at, before) => `H${x(at).toFixed(1)} V${y(before + 1).toFixed(1)}`);
  const since = decided - (found.at(-1) ?? 0);
  const said = `${counted(found.length, 'work')} included in ${counted(decided, 'decision')}; the last ${since} without one`;
  return html`<figure>
    ${chart(said, [width, height], { class: 'curve tone-good', preserveAspectRatio: 'none' }, html`<path d=${`M0 ${y(0)} ${steps.join(' ')} H${width}`} />`)}
    <figcaption>${said}</figcaption>
  </figure>`;
}
