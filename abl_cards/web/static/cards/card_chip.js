// Component CardChip: a card in a line of text.
import { html } from '../html.js';
import { cardName, face, rankText, suitClass } from './card_text.js';

export function CardChip({ deck, text }) {
  const card = face(deck, text);
  return html`
    <span class=${`chip ${suitClass(card)}`} role="img" aria-label=${cardName(deck, text)}>
      ${card.isNamed ? cardName(deck, text) : `${card.symbol}${rankText(card.rank)}`}
    </span>
  `;
}
