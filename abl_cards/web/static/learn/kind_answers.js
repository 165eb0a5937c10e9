// Component KindAnswers: the kinds of plays that beat a play, and those that do not.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';

function Beating({ answer, deck }) {
  const name = localise(answer.name);
  const word = answer.extent === 'all' ? 'learnAny' : answer.only.length ? 'learnOnly' : 'learnFrom';
  const plays = answer.only.length ? answer.only : [answer.from];
  return html`
    <li>
      <span class="yes" aria-hidden="true">✓</span>
      <span class="said">${t(word, name)}</span>
      <span class="plays">
        ${plays.map((play) => play && html`<${CardRow} key=${play.label} deck=${deck} cards=${play.cards} small />`)}
        ${answer.extent === 'some' && !answer.only.length && html`<span class="up" aria-hidden="true">▲</span>`}
      </span>
    </li>
  `;
}

export function KindAnswers({ answer, deck }) {
  const beating = answer.answers.filter((item) => item.extent !== 'none');
  const low = answer.answers.filter((item) => item.low);
  const never = answer.answers.filter((item) => item.extent === 'none');
  if (answer.ends) return html`<p class="said">${t('learnEnds')}</p>`;
  return html`
    <h3>${t('learnBeats')}</h3>
    <ul class="answers">
      ${beating.length === 0 && html`<li><span class="said">${t('learnNothing')}</span></li>`}
      ${beating.map((item) => html`<${Beating} key=${item.name[0]} answer=${item} deck=${deck} />`)}
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
