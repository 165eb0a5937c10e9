// Component HandCard: a card of the hand, as a toggle button that is pressed while selected.
import { html } from '../html.js';
import { say } from '../settings.js';
import { CardFace } from './card_face.js';
import { face, suitClass } from './card_text.js';

export function HandCard({ deck, text, picked, dim, wild, tab, refer, toggle, focus, place }) {
  const card = face(deck, text);
  return html`
    <button
      type="button"
      ref=${refer}
      data-place=${place}
      data-card=${text}
      class=${`card ${suitClass(card)} ${picked ? 'picked' : ''} ${dim ? 'dim' : ''}`}
      aria-pressed=${picked}
      aria-label=${say(card.name)}
      tabindex=${tab ? 0 : -1}
      onClick=${toggle}
      onFocus=${focus}
    >
      <${CardFace} card=${card} wild=${wild} />
    </button>
  `;
}
