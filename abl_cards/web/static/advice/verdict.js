// Component Verdict: a move with the reasons for and against it; cost, place and probability on demand.
import { CardRow } from '../cards/card_row.js';
import { percent, signedPoints } from '../format.js';
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { ReasonList } from './reason_list.js';
import { StepList } from './step_list.js';

const numbers = (verdict, moves) =>
  [
    t('cost', verdict.cost),
    moves && t('placed', verdict.place, moves),
    verdict.probability != null && `${t('probability')} ${percent(verdict.probability)}`,
    verdict.points != null && `${t('ahead')} ${signedPoints(verdict.points)}`,
  ]
    .filter(Boolean)
    .join(' · ');

export function Verdict({ heading, verdict, names, take, moves }) {
  return html`
    <section class="verdict">
      <h3>
        ${heading}${t('colon')}<${Words} text=${verdict.text} names=${names} />
      </h3>
      <p class="verdict-cards">
        ${verdict.cards.length > 0 && html`<${CardRow} deck=${names.deck} cards=${verdict.cards} small />`}
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
      <details class="numbers">
        <summary>${t('numbers')}</summary>
        <p class="small">${numbers(verdict, moves)}</p>
      </details>
    </section>
  `;
}
