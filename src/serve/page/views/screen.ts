import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { Screening } from '../answers.ts';
import { number, typed } from '../format.ts';
import { newId } from '../new-id.ts';
import { field, WIDE } from '../parts.ts';
import { keepName, keptName } from '../reviewer-name.ts';
import type { View } from '../scene.ts';
import { button, html, messageOf, shown, useAnswer, useChanges, useLoaded, useScene } from '../scene.ts';
import type { Query } from '../source.ts';
import type { Acts, Phase } from './screen-card.ts';
import { Card, SAID } from './screen-card.ts';
import { Decided } from './screen-decided.ts';
import { Protocol } from './screen-protocol.ts';
import { Progress } from './screen-progress.ts';

export function ScreenView(): View {
  return html`<${Named} phase="title-abstract" />`;
}

export function FullTextsView(): View {
  return html`<${Named} phase="full-text" />`;
}

function Named({ phase }: { readonly phase: Phase }): View {
  const { query } = useScene();
  const by = query.get('by') ?? '';
  if (by === '') return html`<${NameForm} phase=${phase} />`;
  return html`<${Review} by=${by} phase=${phase} settled=${query.get('settle')} key=${`${by} ${phase}`} />`;
}

/** Asks who decides, and how many about each work; a name that this browser knows needs one key. */
function NameForm({ phase }: { readonly phase?: Phase }): View {
  const { set, source, about, notify, runPath } = useScene();
  const [input, known] = [useRef<HTMLInputElement>(null), keptName()];
  const asked = { by: known || 'nobody', phase, limit: 1 };
  const screening = useAnswer<Screening>(runPath('screening'), asked);
  const { protocol, reviewers = [] } = screening.kind === 'answered' ? screening.value : {};
  useEffect(() => input.current?.select(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    const by = input.current?.value.trim() ?? '';
    const many = Number(new FormData(event.target as HTMLFormElement).get('many') ?? protocol?.reviewers);
    keepName(by);
    const isChanged = protocol !== undefined && many !== protocol.reviewers;
    const change = isChanged ? source.post(runPath('screening', 'protocol'), { by, reviewers: many }) : undefined;
    Promise.resolve(change).then(
      () => set({ by }),
      (error: unknown) => notify(`Not saved: ${messageOf(error)}.`),
    );
  };
  const several = Math.max(2, protocol?.reviewers ?? 2);
  return html`<form class="note naming" onSubmit=${submit}>
    <h2>Who decides?</h2>
    <p>
      Each decision is kept with a name; two people use two names. They do not see each other’s decisions if both are to
      decide about each work.
    </p>
    ${reviewers.length > 0 && html`<p class="hint">${`Have decided here: ${reviewers.join(', ')}.`}</p>`}
    <label class="field"
      ><span>Your name</span
      ><input name="by" ref=${input} defaultValue=${known} required maxlength="100" autocomplete="nickname"
    /></label>
    ${
      about.control &&
      phase !== undefined &&
      field(
        'About each work decides',
        html`<select name="many" disabled=${protocol === undefined} key=${protocol?.reviewers}>
          <option value="1" selected=${protocol?.reviewers === 1}>one person</option>
          <option value=${several} selected=${(protocol?.reviewers ?? 1) > 1}>
            ${several === 2 ? 'two people, blind to each other' : `${several} people, blind to each other`}
          </option>
        </select>`,
      )
    }
    <button type="submit">Begin</button>
  </form>`;
}

/** What a second person should know where one decides about each work, and the way to have two decide. */
function SecondPerson(props: { readonly value: Screening; readonly by: string; readonly changed: () => void }): View {
  const { value, by, changed } = props;
  const { about, source, notify, runPath } = useScene();
  const others = value.reviewers.filter((each) => each !== by);
  if (value.protocol.reviewers > 1 || others.length === 0) return undefined;
  const change = (): void =>
    void source
      .post(runPath('screening', 'protocol'), { by, reviewers: 2 })
      .then(changed, (error: unknown) => notify(`Not saved: ${messageOf(error)}.`));
  return html`<div class="note second">
    <p>
      ${`${others.join(' and ')} ${others.length === 1 ? 'has' : 'have'} decided here too, and one person decides about each work: you are shown what is left.`}
    </p>
    ${about.control && button('Have two people decide about each work', change, { title: 'blind to each other; earlier decisions stay' })}
  </div>`;
}

function Review(props: { readonly by: string; readonly phase: Phase; readonly settled: string | null }): View {
  const { by, phase, settled } = props;
  const { source, notify, about, query, set, place, runPath } = useScene();
  const [turn, setTurn] = useState(0);
  const [answer, change] = useLoaded(`${turn} ${settled}`, (signal) =>
    source.get<Screening>(runPath('screening'), { by, phase, work: settled }, signal),
  );
  const [last, setLast] = useState('');
  /** A decision that could not be sent keeps its id: sent again, it is the same decision. */
  const sending = useRef<{ readonly work: string; readonly id: string } | undefined>(undefined);
  const isBusy = useRef(false);
  /** How many decisions were sent from here: what was asked for before one is out of date. */
  const sent = useRef(0);
  const changes = useChanges('decisions');
  useEffect(() => {
    if (changes === 0) return;
    const asked = sent.current;
    source.get<Screening>(runPath('screening'), { by, phase, work: settled }).then(
      (value) => {
        // What others decide is counted; the work that is being read stays.
        if (asked === sent.current) change((now) => ({ ...value, next: now.next.length > 0 ? now.next : value.next }));
      },
      // What was shown stays; the next change asks again.
      () => undefined,
    );
  }, [changes]);
  const [candidate] = answer.kind === 'answered' ? answer.value.next : [];
  const file = phase === 'full-text' ? (candidate?.document ?? null) : null;
  const before = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    // The next work is read from its title, wherever the last one was left; an address that was opened stays.
    if (before.current !== undefined) scrollTo({ top: 0, behavior: 'instant' });
  }, [candidate?.work]);
  useEffect(() => {
    // The full text of the next work takes the place of the last one; an address that was opened keeps its own.
    if (file !== null && matchMedia(WIDE).matches) set({ document: file, page: '' });
    else if (before.current !== undefined && query.has('document')) set({ document: '', page: '' });
    before.current = candidate?.work;
  }, [candidate?.work]);
  const post = (act: string, body: Query, said: string): void => {
    if (isBusy.current) return;
    isBusy.current = true;
    sent.current += 1;
    source
      .post<Screening>(runPath('screening', act), { by, ...body })
      .then(
        (value) => {
          sending.current = undefined;
          setLast(said);
          change(() => value);
          if (settled !== null) set({ settle: '' });
        },
        (error: unknown) => notify(`Not saved: ${messageOf(error)}. Try again.`),
      )
      .finally(() => (isBusy.current = false));
  };
  const undo = (): void => post('decide', { phase, decision: 'undo' }, 'The last decision was undone.');
  const acts: Acts = {
    decide: (decision, note, reason) => {
      if (!candidate) return;
      const { work, title } = candidate;
      if (sending.current?.work !== work) sending.current = { work, id: newId() };
      const given = { reason: reason || undefined, note: note || undefined };
      post('decide', { ...sending.current, phase, decision, ...given }, `${SAID[decision]}: ${title ?? work}`);
    },
    undo: answer.kind === 'answered' && answer.value.own === 0 ? undefined : undo,
    last,
  };
  return shown(
    answer,
    (value) =>
      html`<div class="screened">
        ${
          value.next[0]
            ? html`<${Card}
                candidate=${value.next[0]}
                protocol=${value.protocol}
                phase=${phase}
                own=${`you: ${number(value.own)} of ${number(value.phases[phase].works)}`}
                acts=${acts}
                key=${value.next[0].work}
              />`
            : html`<div class="done">
                ${nothingLeft(value, phase, by)}
                <p>
                  ${acts.undo && button(html`Undo the last decision`, acts.undo)} <small role="status">${last}</small>
                </p>
              </div>`
        }
        <aside>
          ${!about.control && html`<p class="note">This server is read-only: docstokg screen starts one that accepts decisions.</p>`}
          <${SecondPerson} value=${value} by=${by} changed=${() => setTurn((now) => now + 1)} />
          <${Progress}
            value=${value}
            phase=${phase}
            by=${by}
            begin=${() => post('sample', {}, 'The random sample has begun.')}
            conflictsAt=${place('/conflicts', { by, mark: query.get('mark') })}
          />
          ${value.own > 0 && html`<${Decided} by=${by} phase=${phase} key=${`${value.own} ${last}`} />`}
          <${Protocol} protocol=${value.protocol} by=${by} saved=${() => setTurn((now) => now + 1)} />
        </aside>
      </div>`,
  );
}

/** Why there is nothing to decide, and what can be done. */
function nothingLeft({ phases }: Screening, phase: Phase, by: string): View {
  const { place, run } = useScene();
  if (phases[phase].works > 0) return html`<p class="lede">Nothing is left to decide in this phase for ${by}.</p>`;
  if (phase === 'full-text')
    return html`<p class="lede">No work is included by its title and abstract yet.</p>
      <p><a href=${place('/screen', { by })}>Screen titles and abstracts</a></p>`;
  return html`<p class="lede">There are no works to screen yet.</p>
    <p>Add a list that a database exported: <code>docstokg screen ${typed(run?.folder)} --add list.ris</code></p>`;
}

/** Works about which reviewers disagree. */
export function ConflictsView(): View {
  const { query, source, place, runPath } = useScene();
  const by = query.get('by') ?? '';
  const [answer] = useLoaded(`${by} ${useChanges('decisions')}`, async (signal) => {
    const ask = (phase: Phase): Promise<Screening> =>
      source.get<Screening>(runPath('screening'), { by, phase }, signal);
    return by === '' ? [] : [await ask('title-abstract'), await ask('full-text')];
  });
  if (by === '') return html`<${NameForm} />`;
  return shown(answer, (both) => {
    const all = both.reduce((sum, { conflicts }) => sum + conflicts.length, 0);
    if (all === 0)
      return html`<p class="lede">No work is in conflict.</p>
        <p class="hint">
          A work is in conflict when reviewers have decided about it differently.
          ${both[0]?.protocol.reviewers === 1 && html` Here one person decides about each work; to have two decide, set “Reviewers of each work” under <a href=${place('/screen', { by })}>Criteria</a>.`}
        </p>`;
    return [
      html`<p class="hint">
        The decision of a third person settles a conflict: <strong>${by}</strong> decides below. Use a name that has not
        decided about the work, such as “consensus”.
      </p>`,
      both.map(({ conflicts }, at) => {
        const [path, name] = at === 0 ? ['/screen', 'Titles and abstracts'] : ['/full-texts', 'Full texts'];
        return (
          conflicts.length > 0 &&
          html`<section>
            <h2>${name}</h2>
            <ul class="conflicts">
              ${conflicts.map(
                ({ work, title, decisions }) =>
                  html`<li key=${work}>
                    <a href=${place(path ?? '/screen', { by, settle: work })}>${title ?? work}</a>
                    <ul>
                      ${decisions.map(({ by: who, decision, reason, note }) => html`<li><strong class=${decision}>${decision}</strong> ${[who, reason, note].filter((each) => each !== null).join(' · ')}</li>`)}
                    </ul>
                  </li>`,
              )}
            </ul>
          </section>`
        );
      }),
    ];
  });
}
