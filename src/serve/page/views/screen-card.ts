import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { Passages, Screening } from '../answers.ts';
import { number } from '../format.ts';
import { marked } from '../marked.ts';
import { field, link } from '../parts.ts';
import type { View } from '../scene.ts';
import { button, html, shown, useAnswer, useScene } from '../scene.ts';

export type Candidate = Screening['next'][number];
export type Choice = Candidate['decisions'][number]['decision'];
export type Phase = Candidate['decisions'][number]['phase'];
export interface Acts {
  readonly decide: (decision: Choice, note: string, reason?: string) => void;
  /** Absent where nothing was decided. */
  readonly undo: (() => void) | undefined;
  /** What was done last, beside its undoing. */
  readonly last: string;
}

const CHOICES: readonly (readonly [Choice, string, string])[] = [
  ['include', 'Include', 'i'],
  ['maybe', 'Maybe', 'm'],
  ['exclude', 'Exclude', 'e'],
];
export const SAID: Readonly<Record<Choice, string>> = { include: 'Included', exclude: 'Excluded', maybe: 'Maybe' };

/** A work to decide about, and the keys that decide. */
export function Card(props: {
  readonly candidate: Candidate;
  readonly protocol: Screening['protocol'];
  readonly phase: Phase;
  /** How far this reviewer is, where the progress is out of sight. */
  readonly own: string;
  readonly acts: Acts;
}): View {
  const { candidate, protocol, phase, own, acts } = props;
  const { query } = useScene();
  const noteField = useRef<HTMLInputElement>(null);
  const reasonField = useRef<HTMLInputElement>(null);
  const words = [query.get('mark') ?? '', ...protocol.highlight].join(' ');
  const decide = (decision: Choice, reason = reasonField.current?.value ?? ''): void => {
    if (decision === 'exclude' && phase === 'full-text' && reason === '') reasonField.current?.focus();
    else acts.decide(decision, noteField.current?.value ?? '', decision === 'exclude' ? reason : undefined);
  };
  // Before painting: a key pressed as soon as the work is visible must not be lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const field = event.target instanceof HTMLElement && event.target.matches('input, select, textarea');
      if (field && event.key === 'Escape') event.target.blur();
      if (field || event.ctrlKey || event.metaKey || event.altKey) return;
      const chosen = CHOICES.find(([, , key]) => key === event.key)?.[0];
      const numbered = protocol.reasons[Number(event.key) - 1];
      if (chosen) decide(chosen);
      else if (numbered !== undefined) decide('exclude', numbered);
      else if (event.key === 'u') acts.undo?.();
      else if (event.key === 'n') noteField.current?.focus();
      else if (event.key === 'r') reasonField.current?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  /** Enter ends typing: in the reason it excludes, in the note it returns to the keys. */
  const entered =
    (act: () => void) =>
    (event: KeyboardEvent): void => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      (event.target as HTMLElement).blur();
      act();
    };
  const { title, authors, year, venue, doi, abstract, document: name, decisions } = candidate;
  const meta = [
    authors.slice(0, 3).join(', ') + (authors.length > 3 ? ' et al.' : ''),
    year,
    venue,
    name === null ? 'no full text here' : 'full text here',
  ];
  return html`<div class=${`card ${phase}`}>
    <article aria-live="polite" data-work=${candidate.work}>
      <p class="eyebrow">${placeOf(candidate)}<span class="own-here"> · ${own}</span></p>
      <h2>${marked(title ?? 'Without a title', words)}</h2>
      <p class="hint">
        ${meta.filter((each) => each !== null && each !== '').join(' · ')}
        ${doi !== null && [' · ', link(`https://doi.org/${doi}`, doi)]}
      </p>
      <p class="abstract">${abstract === '' ? 'There is no abstract.' : marked(abstract, words)}</p>
      ${decisions.length > 0 && html`<p class="hint">Decided before: ${decisions.map(({ by, decision }) => `${by} ${decision}`).join(', ')}</p>`}
      ${name !== null && html`<${FullText} name=${name} words=${words} />`}
    </article>
    <div class="deciding">
      <div class="choices">
        ${CHOICES.map(([decision, said, key]) =>
          button(html`${said} <kbd>${key}</kbd>`, () => decide(decision), { class: decision }),
        )}
        ${button(html`Undo <kbd>u</kbd>`, () => acts.undo?.(), { class: 'undo', disabled: acts.undo === undefined })}
      </div>
      ${
        protocol.reasons.length > 0 &&
        html`<ol class="reasons" aria-label="Exclude because">
          ${protocol.reasons.slice(0, 9).map((each, at) => html`<li>${button(html`<kbd>${at + 1}</kbd> ${each}`, () => decide('exclude', each))}</li>`)}
        </ol>`
      }
      <div class="said">
        ${field(html`Reason to exclude${phase === 'full-text' ? '' : ', if you like'} <kbd>r</kbd>`, html`<input list="reasons" ref=${reasonField} onKeyDown=${entered(() => decide('exclude'))} />`)}
        <datalist id="reasons">${protocol.reasons.map((each) => html`<option value=${each}></option>`)}</datalist>
        ${field(html`Note <kbd>n</kbd>`, html`<input ref=${noteField} onKeyDown=${entered(() => undefined)} />`)}
      </div>
      <p class="hint last" role="status">${acts.last || ' '}</p>
    </div>
  </div>`;
}

function placeOf({ rank, is_sampled: isSampled }: Candidate): string {
  if (isSampled) return 'From the random sample';
  return rank > 0 ? `Rank ${number(rank)}` : 'Not ranked';
}

function FullText({ name, words }: { readonly name: string; readonly words: string }): View {
  const { reading, query } = useScene();
  const [isShown, setShown] = useState(false);
  if (query.get('document') === name) return undefined;
  return html`<p><a href=${reading({ document: name })}>Read the full text beside</a></p>
    <details open=${isShown} onToggle=${(event: Event) => setShown((event.target as HTMLDetailsElement).open)}>
      <summary>Its passages here</summary>
      ${isShown && html`<${PassageList} name=${name} words=${words} />`}
    </details>`;
}

function PassageList({ name, words }: { readonly name: string; readonly words: string }): View {
  const { runPath } = useScene();
  const passages = useAnswer<Passages>(runPath('documents', name, 'passages'));
  return shown(passages, ({ items }) =>
    items.length === 0
      ? html`<p class="hint">It was not chunked yet.</p>`
      : items.map(
          ({ context, text }) =>
            html`<p class="passage"><span class="hint">${context}</span><br />${marked(text, words)}</p>`,
        ),
  );
}
