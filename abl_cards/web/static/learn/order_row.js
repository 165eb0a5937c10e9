// Component OrderRow: ranks, suits or cards in a row from low to high.
import { CardChip } from '../cards/card_chip.js';
import { suitClass } from '../cards/card_text.js';
import { html } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';

export function OrderRow({ row, deck }) {
  return html`
    <p class="order-text">${localise(row.text)}</p>
    <div class="order-span">
      <ol class="order" aria-label=${localise(row.text)}>
        ${row.items.map(
          (item, index) => html`
            <li key=${index}>
              ${
                item.card
                  ? html`<${CardChip} deck=${deck} text=${item.card} />`
                  : html`
                    <span class=${`chip ${item.suit ? suitClass({ suit: item.suit }) : 'rank'}`}>${item.rank}</span>
                  `
              }
            </li>
          `,
        )}
      </ol>
      <p class="ends small" aria-hidden="true"><span>${t('learnLow')}</span><span>${t('learnHigh')}</span></p>
    </div>
  `;
}
