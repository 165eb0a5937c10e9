// Component BeatingKind: a kind of plays of which some or all beat a play, with the weakest of them.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';

export function BeatingKind({ answer, deck }) {
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
