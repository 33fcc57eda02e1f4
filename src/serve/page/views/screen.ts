import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { agreementText, countsText, promiseText } from '../../../screen/status-text/index.ts';
import type { Passages, Screening } from '../answers.ts';
import { number } from '../format.ts';
import { marked } from '../marked.ts';
import { newId } from '../new-id.ts';
import { field, filters, link, QueryChoice, QueryField } from '../parts.ts';
import type { View } from '../scene.ts';
import { button, html, messageOf, shown, useAnswer, useLoaded, useScene } from '../scene.ts';
import type { Query } from '../source.ts';

type Candidate = Screening['next'][number];
type Choice = Candidate['decisions'][number]['decision'];
type Phase = Candidate['decisions'][number]['phase'];
interface Acts {
  readonly decide: (decision: Choice, note: string, reason?: string) => void;
  readonly undo: () => void;
}

const PHASES: readonly (readonly [Phase, string])[] = [
  ['title-abstract', 'Title and abstract'],
  ['full-text', 'Full text'],
];
const CHOICES: readonly (readonly [Choice, string, string])[] = [
  ['include', 'Include', 'i'],
  ['exclude', 'Exclude', 'e'],
  ['maybe', 'Maybe', 'm'],
];
const SAID: Readonly<Record<Choice, string>> = { include: 'Included', exclude: 'Excluded', maybe: 'Maybe' };

export function ScreenView(): View {
  const { query } = useScene();
  const by = query.get('by') ?? '';
  const phase: Phase = query.get('phase') === 'full-text' ? 'full-text' : 'title-abstract';
  return [
    filters([
      html`<${QueryField} name="Reviewer" parameter="by" hint="your name" isLeftByEnter />`,
      html`<${QueryChoice} name="Phase" parameter="phase" options=${PHASES} />`,
      html`<${QueryField} name="Words to mark" parameter="mark" hint="placebo, cohort" />`,
    ]),
    by === ''
      ? html`<p class="hint">Enter your name: each decision says who made it.</p>`
      : html`<${Review} by=${by} phase=${phase} key=${`${by} ${phase}`} />`,
  ];
}

function Review({ by, phase }: { readonly by: string; readonly phase: Phase }): View {
  const { source, notify, about, place, runPath } = useScene();
  const path = runPath('screening');
  const [answer, change] = useLoaded('', (signal) => source.get<Screening>(path, { by, phase }, signal));
  /** A decision that could not be sent keeps its id: sent again, it is the same decision. */
  const sending = useRef<{ readonly work: string; readonly id: string } | undefined>(undefined);
  const isBusy = useRef(false);
  const [candidate] = answer.kind === 'answered' ? answer.value.next : [];
  const post = (act: string, body: Query, said: string): void => {
    if (isBusy.current) return;
    isBusy.current = true;
    source
      .post<Screening>(runPath('screening', act), { by, ...body })
      .then(
        (value) => {
          sending.current = undefined;
          change(() => value);
          notify(said);
        },
        (error: unknown) => notify(`Not saved: ${messageOf(error)}. Try again.`),
      )
      .finally(() => (isBusy.current = false));
  };
  const acts: Acts = {
    decide: (decision, note, reason) => {
      if (!candidate) return;
      const { work, title } = candidate;
      if (sending.current?.work !== work) sending.current = { work, id: newId() };
      const about = { reason: reason || undefined, note: note || undefined };
      post('decide', { ...sending.current, phase, decision, ...about }, `${SAID[decision]}: ${title ?? work}`);
    },
    undo: () => post('decide', { phase, decision: 'undo' }, 'The last decision was undone.'),
  };
  return shown(answer, (value) => [
    progressOf(value, phase, () => post('sample', {}, 'The random sample has begun.'), place('/flow')),
    !about.control &&
      html`<p class="note">This server is read-only: docstokg screen starts one that accepts decisions.</p>`,
    value.next[0]
      ? html`<${Card}
          candidate=${value.next[0]}
          protocol=${value.protocol}
          phase=${phase}
          acts=${acts}
          key=${value.next[0].work}
        />`
      : html`<p class="lede">Nothing is left to decide in this phase for ${by}.</p>
          <p>${button('Undo the last decision', acts.undo)}</p>`,
    conflictsOf(value, phase, (work) => {
      source.get<Screening>(path, { by, phase, work }).then(
        (opened) => change(() => opened),
        (error: unknown) => notify(messageOf(error)),
      );
    }),
  ]);
}

function progressOf(
  { phases, sample, isTimeToSample, agreement, own, protocol }: Screening,
  phase: Phase,
  begin: () => void,
  flowAt: string,
): View {
  const { works, conflicts, undecided } = phases[phase];
  const offer = isTimeToSample
    ? 'Hardly anything relevant is found now. A random sample of the rest shows whether to stop. '
    : 'The works most likely to be relevant come first. Later, a random sample of the rest shows how many were missed. ';
  const promise = sample
    ? promiseText(sample, conflicts)
    : undecided > 0 && [offer, button('Begin the random sample', begin)];
  return html`<div class="review">
    <progress max=${works} value=${own} aria-label="Works you have decided about"></progress>
    <p>
      <strong class="own">${`You: ${number(own)} of ${number(works)} decided`}</strong>
      ${` · ${protocol.reviewers > 1 ? 'Together: ' : ''}${countsText(phases[phase])}. ${agreement ? agreementText(agreement) : ''} `}
      <a href=${flowAt}>Flow diagram</a>
    </p>
    ${phase === 'title-abstract' && promise && html`<p class="promise">${promise}</p>`}
  </div>`;
}

function conflictsOf({ conflicts, phases }: Screening, phase: Phase, open: (work: string) => void): View {
  if (conflicts.length === 0) return undefined;
  return html`<details class="conflicts">
    <summary>${number(phases[phase].conflicts)} in conflict: another reviewer settles them</summary>
    <ul>
      ${conflicts.map(
        ({ work, title, decisions }) =>
          html`<li>
            ${button(title ?? work, () => open(work))}
            ${decisions.map(({ by, decision, reason }) => `${by} ${decision}${reason === null ? '' : ` (${reason})`}`).join(', ')}
          </li>`,
      )}
    </ul>
  </details>`;
}

function Card(props: {
  readonly candidate: Candidate;
  readonly protocol: Screening['protocol'];
  readonly phase: Phase;
  readonly acts: Acts;
}): View {
  const { candidate, protocol, phase, acts } = props;
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
      else if (event.key === 'u') acts.undo();
      else if (event.key === 'n') noteField.current?.focus();
      else if (event.key === 'r') reasonField.current?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  const { title, authors, year, venue, doi, abstract, document: name, decisions } = candidate;
  const meta = [authors.slice(0, 3).join(', ') + (authors.length > 3 ? ' et al.' : ''), year, venue].filter((each) => each !== null && each !== ''); // prettier-ignore
  return html`<div class="screened">
    <article aria-live="polite" data-work=${candidate.work}>
      <p class="eyebrow">${placeOf(candidate)}</p>
      <h2>${marked(title ?? 'Without a title', words)}</h2>
      <p class="hint">${meta.join(' · ')} ${doi !== null && link(`https://doi.org/${doi}`, doi)}</p>
      <p class="abstract">${abstract === '' ? 'There is no abstract.' : marked(abstract, words)}</p>
      ${decisions.length > 0 && html`<p class="hint">Decided before: ${decisions.map(({ by, decision }) => `${by} ${decision}`).join(', ')}</p>`}
      ${name !== null && html`<${FullText} name=${name} words=${words} isOpen=${phase === 'full-text'} />`}
    </article>
    <aside>
      ${
        protocol.criteria !== '' &&
        html`<div class="note criteria">
          <h3>Criteria</h3>
          <p>${protocol.criteria}</p>
        </div>`
      }
      <div class="choices">
        ${CHOICES.map(([decision, said, key]) =>
          button(html`${said} <kbd>${key}</kbd>`, () => decide(decision), { class: decision }),
        )}
        ${button(html`Undo <kbd>u</kbd>`, acts.undo)}
      </div>
      ${field(html`Reason to exclude <kbd>r</kbd>`, html`<input list="reasons" ref=${reasonField} />`)}
      <datalist id="reasons">${protocol.reasons.map((each) => html`<option value=${each}></option>`)}</datalist>
      ${
        protocol.reasons.length > 0 &&
        html`<ol class="reasons">
          ${protocol.reasons.slice(0, 9).map((each) => html`<li>${button(each, () => decide('exclude', each))}</li>`)}
        </ol>`
      }
      ${field(html`Note <kbd>n</kbd>`, html`<input ref=${noteField} />`)}
    </aside>
  </div>`;
}

function placeOf({ rank, is_sampled: isSampled }: Candidate): string {
  if (isSampled) return 'From the random sample';
  return rank > 0 ? `Rank ${number(rank)}` : 'Not ranked';
}

function FullText(props: { readonly name: string; readonly words: string; readonly isOpen: boolean }): View {
  const { name, words, isOpen } = props;
  const { reading } = useScene();
  const [isShown, setShown] = useState(isOpen);
  return html`<details
    open=${isShown}
    onToggle=${(event: Event) => setShown((event.target as HTMLDetailsElement).open)}
  >
    <summary>Full text</summary>
    ${isShown && html`<${PassageList} name=${name} words=${words} />`}
    <p><a href=${reading({ document: name })}>Open the document beside</a></p>
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
