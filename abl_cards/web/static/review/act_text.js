// Component ActText: an act in a list: its cards where they are few, else its name.
import { CardChip } from '../cards/card_chip.js';
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';

const MAX_CHIPS = 2;

export function ActText({ act, names }) {
  if (!act) return t('toDecide');
  const { cards, text } = act;
  if (!cards.length || cards.length > MAX_CHIPS || act.failed) return html`<${Words} text=${text} names=${names} />`;
  return cards.map((card, index) => html`<${CardChip} key=${index} deck=${names.deck} text=${card} />`);
}
