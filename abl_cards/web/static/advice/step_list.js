// Component StepList: a composed move card by card, each step with its reasons.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { ReasonList } from './reason_list.js';

export function StepList({ steps, deck }) {
  return html`
    <ol class="steps" aria-label=${t('steps')}>
      ${steps.map(
        (each, place) => html`
          <li key=${place}>
            <b>${each.text}</b> <span class="small">${t('cost', each.cost)}</span>
            ${each.cards.length > 0 && html`<${CardRow} deck=${deck} cards=${each.cards} small />`}
            <${ReasonList} reasons=${each.reasons} />
          </li>
        `,
      )}
    </ol>
  `;
}
