// Component Hud: the score and other public facts of a position, always in view.
import { CardChip } from '../cards/card_chip.js';
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { itemName, itemValue } from './item_text.js';
import { placeStyle } from './place_style.js';
import { ScoreBar } from './score_bar.js';

export function Hud({ position, rect }) {
  const items = [...position.items];
  if (position.aside > 0) items.push({ name: t('kitty'), text: t('cards', position.aside) });
  if (position.stock > 0) items.push({ name: t('stock'), text: t('cards', position.stock) });
  return html`
    <div class="hud" style=${placeStyle(rect)}>
      ${
        position.title &&
        html`
          <h1>${position.title}</h1>
        `
      }
      <dl class="told">${items.map((item, index) => html`<${Item} key=${index} item=${item} position=${position} />`)}</dl>
    </div>
  `;
}

function Item({ item, position }) {
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
              ? item.cards.map((text, index) => html`<${CardChip} key=${index} deck=${position.deck} text=${text} />`)
              : html`<${Words} text=${item.text} names=${names} />`
        }
      </dd>
    </div>
  `;
}

const isOurs = ({ team, seat }, { bottom, hasOwn, seats }) =>
  hasOwn && (seat === bottom || (team != null && seats[bottom].side === team));
