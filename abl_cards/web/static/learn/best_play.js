// Component BestPlay: the play that the engine prefers, with its reasons.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';

const MAX_REASONS = 4;

export function BestPlay({ graded, deck }) {
  const { best } = graded;
  const names = { deck, seat: String, team: String };
  const reasons = graded.difference?.length ? graded.difference : best.reasons;
  return html`
    <div class="best">
      <p>${t('learnBest')}</p>
      ${best.cards.length ? html`<${CardRow} deck=${deck} cards=${best.cards} />` : html`<b>${t('pass')}</b>`}
      <ul class="reasons">
        ${reasons
          .slice(0, MAX_REASONS)
          .map((reason) => html`<li key=${reason.name}><${Words} text=${reason.words} names=${names} /></li>`)}
      </ul>
    </div>
  `;
}
