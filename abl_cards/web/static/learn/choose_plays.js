// Component ChoosePlays: plays as toggle buttons; after grading, each says whether it is legal.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { t } from '../words.js';

const toggled = (list, item) => (list.includes(item) ? list.filter((other) => other !== item) : [...list, item]);

export function ChoosePlays({ plays, deck, wild, chosen, results, onChange }) {
  return html`
    <ul class="offered">
      ${plays.map((play, index) => {
        const result = results?.[index];
        return html`
          <li key=${index}>
            <button
              type="button"
              aria-pressed=${chosen.includes(index)}
              onClick=${() => onChange(toggled(chosen, index))}
            >
              <${CardRow} deck=${deck} cards=${play.cards} wild=${wild} />
            </button>
            <span class=${result ? (result.legal ? 'yes' : 'no') : ''}>
              ${result ? (result.legal ? `✓ ${t('learnYes')}` : `✗ ${t('learnNo')}`) : ''}
            </span>
          </li>
        `;
      })}
    </ul>
  `;
}
