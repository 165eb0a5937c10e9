// Component ReasonList: preferences that apply to a move, for it and against it; words first, weights second.
import { signedInteger } from '../format.js';
import { html, loadStyle } from '../html.js';
import { t } from '../words.js';
import './words.js';

loadStyle('advice/advice');

// Preferences are costs: a positive weight speaks against the move.
const SIDES = [
  ['for', 'speaksFor', (reason) => reason.weight <= 0],
  ['against', 'speaksAgainst', (reason) => reason.weight > 0],
];

export function ReasonList({ reasons }) {
  if (!reasons.length) return html`<p class="small">${t('noReasons')}</p>`;
  const sides = SIDES.map(([name, word, belongs]) => ({ name, word, reasons: reasons.filter(belongs) }));
  return html`
    <div class="reasons">
      ${sides.map(
        (side) =>
          side.reasons.length > 0 &&
          html`
            <div key=${side.name} class=${side.name}>
              <h4>${t(side.word)}</h4>
              <ul>
                ${side.reasons.map(
                  (reason) => html`
                    <li key=${reason.name}>
                      ${reason.words}${' '}
                      <span class="weight" title=${t('cost', signedInteger(reason.weight))}>
                        ${signedInteger(Math.abs(reason.weight))}
                      </span>
                    </li>
                  `,
                )}
              </ul>
            </div>
          `,
      )}
    </div>
  `;
}
