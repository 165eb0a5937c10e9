// Component HudItem: a fact of a position: a score as a bar, cards, or a text.
import { CardChip } from '../cards/card_chip.js';
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { itemName, itemValue } from './item_text.js';
import { ScoreBar } from './score_bar.js';

export function HudItem({ item, position }) {
  const { names } = position;
  const name = itemName(item, names);
  return html`
    <div class=${isOurs(item, position) ? 'ours' : ''} title=${`${name}${t('colon')}${itemValue(item, names)}`}>
      <dt>${name}</dt>
      <dd>
        ${
          item.kind === 'bar'
            ? html`<${ScoreBar} item=${item} name=${name} />`
            : item.kind === 'cards'
              ? item.cards.map(
                  (text, index) => html`
                    <${CardChip} key=${index} deck=${position.deck} text=${text} />
                  `,
                )
              : html`<${Words} text=${item.text} names=${names} />`
        }
      </dd>
    </div>
  `;
}

const isOurs = ({ team, seat }, { bottom, hasOwn, seats }) =>
  hasOwn && (seat === bottom || (team != null && seats[bottom].side === team));
