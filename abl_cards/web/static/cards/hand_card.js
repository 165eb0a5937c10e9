// Component HandCard: a card of the hand, as a toggle button that is pressed while selected.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { spotStyle } from '../table/place_style.js';
import { CardFace } from './card_face.js';
import { face, suitClass } from './card_text.js';

export function HandCard({ deck, text, spot, width, selected, dim, wild, tab, buttonRef, toggle, focus, index }) {
  const card = face(deck, text);
  return html`
    <button
      type="button"
      ref=${buttonRef}
      data-place=${index}
      data-card=${text}
      class=${`card ${suitClass(card)} ${selected ? 'picked' : ''} ${dim ? 'dim' : ''}`}
      style=${spotStyle(spot, width)}
      aria-pressed=${selected}
      aria-label=${localise(card.name)}
      tabindex=${tab ? 0 : -1}
      onClick=${toggle}
      onFocus=${focus}
    >
      <${CardFace} card=${card} wild=${wild} />
    </button>
  `;
}
