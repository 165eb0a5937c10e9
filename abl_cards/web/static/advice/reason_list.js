// Component ReasonList: preferences that apply to a move, with their weights.
import { signedInteger } from '../format.js';
import { html } from '../html.js';
import { t } from '../words.js';

export function ReasonList({ reasons }) {
  if (!reasons.length) return html`<p class="small">${t('noReasons')}</p>`;
  return html`
    <ul class="reasons">
      ${reasons.map(
        (reason) => html`
          <li key=${reason.name} class=${reason.weight > 0 ? 'against' : 'for'}>
            <b>${signedInteger(reason.weight)}</b> ${reason.words}
          </li>
        `,
      )}
    </ul>
  `;
}
