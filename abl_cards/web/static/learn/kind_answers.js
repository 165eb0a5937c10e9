// Component KindAnswers: the kinds of plays that beat a play, and those that do not.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { BeatingKind } from './beating_kind.js';

export function KindAnswers({ answer, deck }) {
  const beating = answer.answers.filter((item) => item.extent !== 'none');
  const low = answer.answers.filter((item) => item.low);
  const never = answer.answers.filter((item) => item.extent === 'none');
  if (answer.ends) return html`<p class="said">${t('learnEnds')}</p>`;
  return html`
    <h3>${t('learnBeats')}</h3>
    <ul class="answers">
      ${beating.length === 0 && html`<li><span class="said">${t('learnNothing')}</span></li>`}
      ${beating.map((item) => html`<${BeatingKind} key=${item.name[0]} answer=${item} deck=${deck} />`)}
    </ul>
    <h3>${t('learnNot')}</h3>
    <ul class="answers">
      ${low.map(
        (item) => html`
          <li key=${item.name[0]}>
            <span class="no" aria-hidden="true">✗</span>
            <span class="said">${t('learnTooLow', localise(item.low.text))}</span>
            <span class="plays"><${CardRow} deck=${deck} cards=${item.low.cards} small /></span>
          </li>
        `,
      )}
      ${
        never.length > 0 &&
        html`
          <li>
            <span class="no" aria-hidden="true">✗</span>
            <span class="said">${t('learnNever', never.map((item) => localise(item.name)).join(t('learnComma')))}</span>
          </li>
        `
      }
    </ul>
  `;
}
