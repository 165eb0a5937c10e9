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
          (hands, number) => html`
            <li key=${number}>
              ${hands.map(
                (cards, place) => html`
                  <p key=${place}>
                    <span class="small">${names[place]}</span>${' '}
                    <${CardRow} deck=${deck} cards=${cards} small label=${names[place]} />
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
