// Component StepList: a composed move card by card, each step with its reasons.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { ReasonList } from './reason_list.js';

export function StepList({ steps, names }) {
  return html`
    <ol class="steps" aria-label=${t('steps')}>
      ${steps.map(
        (step, index) => html`
          <li key=${index}>
            <b><${Words} text=${step.text} names=${names} /></b> <span class="small">${t('cost', step.cost)}</span>
            ${step.cards.length > 0 && html`<${CardRow} deck=${names.deck} cards=${step.cards} small />`}
            <${ReasonList} reasons=${step.reasons} />
          </li>
        `,
      )}
    </ol>
  `;
}
