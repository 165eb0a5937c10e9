// Component CardChip: a card in a line of text.
import { html } from '../html.js';
import { cardName, cardSign, face, suitClass } from './card_text.js';

export function CardChip({ deck, text }) {
  return html`
    <span class=${`chip ${suitClass(face(deck, text))}`} role="img" aria-label=${cardName(deck, text)}>
      ${cardSign(deck, text)}
    </span>
  `;
}
