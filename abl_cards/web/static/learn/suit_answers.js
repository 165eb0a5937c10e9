// Component SuitAnswers: the cards of each suit that take a trick, and those that do not.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { t } from '../words.js';

export function SuitAnswers({ answer, deck }) {
  const takers = answer.suits.filter((suit) => suit.takers.length);
  const others = answer.suits.map((suit) => suit.cards.filter((card) => !suit.takers.includes(card)));
  const losers = others.filter((cards) => cards.length);
  return html`
    <h3>${t('learnTakes')}</h3>
    <ul class="answers">
      ${takers.map(
        (suit) => html`
          <li key=${suit.takers[0]}>
            <span class="yes" aria-hidden="true">✓</span>
            <span class="plays"><${CardRow} deck=${deck} cards=${suit.takers} small /></span>
          </li>
        `,
      )}
      ${takers.length === 0 && html`<li><span class="said">${t('learnNothing')}</span></li>`}
    </ul>
    <h3>${t('learnLoses')}</h3>
    <ul class="answers">
      ${losers.map(
        (cards) => html`
          <li key=${cards[0]}>
            <span class="no" aria-hidden="true">✗</span>
            <span class="plays"><${CardRow} deck=${deck} cards=${cards} small /></span>
          </li>
        `,
      )}
    </ul>
    ${answer.follow && html`<p class="small">${t('learnFollow')}</p>`}
  `;
}
