// Component ImaginedDeals: sampled deals of the look-ahead, with the hands of the other seats.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { t } from '../words.js';

export function ImaginedDeals({ deals, deck, names }) {
  return html`
    <details class="imagined">
      <summary>${t('imaginedDeals')}</summary>
      <ol>
        ${deals.map(
          (hands, index) => html`
            <li key=${index}>
              ${hands.map(
                (cards, index) => html`
                  <p key=${index}>
                    <span class="small">${names[index]}</span>${' '}
                    <${CardRow} deck=${deck} cards=${cards} small label=${names[index]} />
                  </p>
                `,
              )}
            </li>
          `,
        )}
      </ol>
    </details>
  `;
}
