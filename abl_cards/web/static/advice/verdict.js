// Component Verdict: a move with cost, rank, probability and reasons.
import { CardRow } from '../cards/card_row.js';
import { percent, signedPoints } from '../format.js';
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { ReasonList } from './reason_list.js';
import { StepList } from './step_list.js';

export function Verdict({ heading, verdict, names, take, moves }) {
  return html`
    <section class="verdict">
      <h3>
        ${heading}${t('colon')}<${Words} text=${verdict.text} names=${names} />
      </h3>
      ${verdict.cards.length > 0 && html`<${CardRow} deck=${names.deck} cards=${verdict.cards} small />`}
      <p class="small">
        ${t('cost', verdict.cost)}
        ${moves ? ` · ${t('placed', verdict.place, moves)}` : ''}
        ${verdict.probability != null ? ` · ${t('probability')} ${percent(verdict.probability)}` : ''}
        ${verdict.points != null ? ` · ${t('ahead')} ${signedPoints(verdict.points)}` : ''}
        ${
          take &&
          html`
            ${' '}
            <button type="button" class="quiet take" onClick=${() => take(verdict)}>
              ${t('pickThese')}
            </button>
          `
        }
      </p>
      ${
        verdict.steps?.length
          ? html`
            <${StepList} steps=${verdict.steps} names=${names} />
          `
          : html`
            <${ReasonList} reasons=${verdict.reasons} />
          `
      }
    </section>
  `;
}
