// Component ForAgainst: the preferences by which a move differs from another, in two columns, words first.
import { html } from '../html.js';
import { t } from '../words.js';

const Column = ({ heading, reasons, kind }) => html`
  <div class=${kind}>
    <h4>${heading}</h4>
    <ul>
      ${
        reasons.length
          ? reasons.map(
              (reason) => html`<li key=${reason.name}>${reason.words} <b>${Math.abs(reason.weight)}</b></li>`,
            )
          : html`<li>–</li>`
      }
    </ul>
  </div>
`;

// A weight is a cost: more of it speaks against the move.
export function ForAgainst({ reasons }) {
  if (!reasons.length) return null;
  return html`
    <div class="for-against">
      <${Column} kind="for" heading=${t('speaksFor')} reasons=${reasons.filter((reason) => reason.weight < 0)} />
      <${Column} kind="against" heading=${t('speaksAgainst')} reasons=${reasons.filter((reason) => reason.weight > 0)} />
    </div>
  `;
}
