// Component QuizResult: whether an answer is right, and what the engine says about it.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { localise } from '../settings.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';

function Reasons({ reasons, deck }) {
  const names = { deck, seat: String, team: String };
  return html`
    <ul class="reasons">
      ${reasons.slice(0, 4).map((reason) => html`<li key=${reason.name}><${Words} text=${reason.words} names=${names} /></li>`)}
    </ul>
  `;
}

function Best({ graded, deck }) {
  const { best } = graded;
  return html`
    <div class="best">
      <p>${t('learnBest')}</p>
      ${best.cards.length ? html`<${CardRow} deck=${deck} cards=${best.cards} />` : html`<b>${t('pass')}</b>`}
      <${Reasons} reasons=${graded.difference?.length ? graded.difference : best.reasons} deck=${deck} />
    </div>
  `;
}

export function QuizResult({ task, graded, deck }) {
  const name = graded.names?.map(localise).join(t('learnComma'));
  const nearest = graded.problem?.nearest;
  return html`
    <p class=${graded.right ? 'yes' : 'no'}><b>${graded.right ? `✓ ${t('learnRight')}` : `✗ ${t('learnWrong')}`}</b></p>
    ${task === 'legal' && graded.right && html`<p>${t('learnIsPlay', name)}</p>`}
    ${
      task !== 'beat' &&
      graded.problem &&
      html`
        <p>${t('learnIllegal')}</p>
        ${nearest && html`<p>${t('learnNearest')} <${CardRow} deck=${deck} cards=${nearest.cards} small /></p>`}
      `
    }
    ${task === 'best' && (graded.own || graded.right) && html`<${Best} graded=${graded} deck=${deck} />`}
  `;
}
