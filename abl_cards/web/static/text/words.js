// Component Words: a text of the server, with its cards drawn inline.
import { CardChip } from '../cards/card_chip.js';
import { Fragment, html } from '../html.js';
import { partName, splitMarks } from './marked_text.js';

export function Words({ text, names }) {
  return html`
    <${Fragment}>
      ${splitMarks(text).map((part, index) =>
        part.card == null
          ? partName(part, names)
          : html`<${CardChip} key=${index} deck=${names.deck} text=${part.card} />`,
      )}
    </${Fragment}>
  `;
}
