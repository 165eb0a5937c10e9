// Component HowTo: a game explained from its rules; used by the section Learn and by the dialog of a table.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { localise, useSettings } from '../settings.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { Ladder } from './ladder.js';
import { OrderRow } from './order_row.js';
import { PlayKinds } from './play_kinds.js';

export function HowTo({ facts }) {
  useSettings();
  const names = { deck: facts.deck, seat: String, team: String };
  return html`
    <section>
      <h2>${t('learnAim')}</h2>
      <p class="aim">${localise(facts.aim)}</p>
      <ul class="facts">
        ${facts.table.map((line) => html`<li key=${line[0]}>${localise(line)}</li>`)}
      </ul>
    </section>
    <section>
      <h2>${t('learnCourse')}</h2>
      <ol class="course">
        ${facts.course.map(
          (stage) => html`
            <li key=${stage.text[0]} class=${stage.name ? '' : 'aside'}>
              ${stage.name && html`<b>${localise(stage.name)}</b>`}
              <span><${Words} text=${stage.text} names=${names} /></span>
            </li>
          `,
        )}
      </ol>
    </section>
    <section>
      <h2>${t('learnOrder')}</h2>
      ${facts.order.rows.map((row) => html`<${OrderRow} key=${row.text[0]} row=${row} deck=${facts.deck} />`)}
      ${facts.order.lines.map((line) => html`<p key=${line[0]} class="small">${localise(line)}</p>`)}
      <dl class="special">
        ${facts.special.map(
          (group) => html`
            <div key=${group.text[0]}>
              <dt>${localise(group.text)}</dt>
              <dd><${CardRow} deck=${facts.deck} cards=${group.cards} /></dd>
            </div>
          `,
        )}
      </dl>
    </section>
    <section>
      <h2>${t('learnKinds')}</h2>
      <${PlayKinds} facts=${facts} />
    </section>
    <section aria-labelledby="ladder-heading">
      <h2 id="ladder-heading">${t('learnLadder')}</h2>
      <${Ladder} facts=${facts} />
    </section>
    <section>
      <h2>${t('learnScore')}</h2>
      <ul>
        ${facts.score.map((line) => html`<li key=${line[0]}>${localise(line)}</li>`)}
      </ul>
    </section>
  `;
}
