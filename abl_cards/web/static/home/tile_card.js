// Component TileCard: a card of a tile, tilted
import { CardFace } from '../cards/card_face.js';
import { suitClass } from '../cards/card_text.js';
import { html } from '../html.js';

export function TileCard({ card }) {
  if (!card)
    return html`
      <span class="card face-down"></span>
    `;
  return html`
    <span class=${`card ${suitClass(card)}`}><${CardFace} card=${card} /></span>
  `;
}
