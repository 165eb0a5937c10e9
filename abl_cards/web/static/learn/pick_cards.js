// Component PickCards: cards of a hand as toggle buttons.
import { CardFace } from '../cards/card_face.js';
import { cardName, face, suitClass } from '../cards/card_text.js';
import { html, useState } from '../html.js';
import { t } from '../words.js';

export function PickCards({ cards, deck, wild, onChange }) {
  const [picked, setPicked] = useState([]);
  const toggle = (index) => {
    const next = picked.includes(index) ? picked.filter((other) => other !== index) : [...picked, index];
    setPicked(next);
    onChange(next.map((place) => cards[place]));
  };
  return html`
    <div class="picks" role="group" aria-label=${t('learnHand')}>
      ${cards.map(
        (text, index) => html`
          <button
            key=${index}
            type="button"
            class=${`card ${suitClass(face(deck, text))} ${picked.includes(index) ? 'picked' : ''}`}
            aria-pressed=${picked.includes(index)}
            onClick=${() => toggle(index)}
          >
            <span class="unseen">${cardName(deck, text)}</span>
            <${CardFace} card=${face(deck, text)} wild=${wild.includes(text)} />
          </button>
        `,
      )}
    </div>
  `;
}
