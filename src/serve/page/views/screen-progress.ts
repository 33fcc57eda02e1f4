import { agreementText, countsText, promiseText } from '../../../screen/status-text/index.ts';
import type { Screening } from '../answers.ts';
import { counted, number } from '../format.ts';
import type { View } from '../scene.ts';
import { button, html, useScene } from '../scene.ts';
import type { Phase } from './screen-card.ts';

/** How far a reviewer is, how far all are, and what the random sample promises. */
export function Progress(props: {
  readonly value: Screening;
  readonly phase: Phase;
  readonly by: string;
  readonly begin: () => void;
  readonly conflictsAt: string;
}): View {
  const { value, phase, by, begin, conflictsAt } = props;
  const { set } = useScene();
  const { phases, sample, isTimeToSample, agreement, own, protocol, reviewers } = value;
  const { works, conflicts, undecided } = phases[phase];
  const offer = isTimeToSample
    ? 'Hardly anything relevant is found now. A random sample of the rest shows whether to stop. '
    : `${protocol.question === '' && own === 0 ? 'As soon as works are decided about, the most likely to be relevant come first.' : 'The works most likely to be relevant come first.'} Later, a random sample of the rest shows how many were missed. `;
  const promise = sample
    ? promiseText(sample, conflicts)
    : undecided > 0 && [offer, button('Begin the random sample', begin)];
  const isShared = protocol.reviewers > 1;
  /** What all decided is shown to those who have no work left to decide about. */
  const isBlind = isShared && value.next.length > 0 && sample?.isReached !== true;
  const isAlone = reviewers.every((each) => each === by);
  return html`<section class="review" aria-label="Progress">
    <p class="who">
      <strong>${by}</strong
      >${' '}${button('change', () => set({ by: '' }), { 'aria-label': 'Change the reviewer', class: 'plain-link' })}
    </p>
    <progress max=${works} value=${own} aria-label="Works you have decided about"></progress>
    <p><strong class="own">${`You: ${number(own)} of ${number(works)} decided`}</strong></p>
    ${
      isBlind
        ? html`<p>
            ${`${number(protocol.reviewers)} people decide about each work, blind: what all decided is shown when you are through.`}
          </p>`
        : html`<p>${`${isAlone ? '' : 'All together: '}${countsText(phases[phase])}.`}</p>`
    }
    ${!isBlind && agreement && html`<p>${agreementText(agreement)}</p>`}
    ${conflicts > 0 && html`<p><a href=${conflictsAt}>${counted(conflicts, 'work')} in conflict</a></p>`}
    ${phase === 'title-abstract' && promise && html`<p class="promise">${promise}</p>`}
  </section>`;
}
