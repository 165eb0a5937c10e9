// Component CardRow: cards on the table, with one label for screen readers.
import { html } from '../html.js';
import { CardFace } from './card_face.js';
import { cardName, face, suitClass } from './card_text.js';
import { t } from '../words.js';

export function CardRow({ deck, cards, wild = [], label, small = false }) {
  if (!cards.length) return null;
  const names = cards.map((text) => cardName(deck, text)).join(t('comma'));
  return html`
    <span
      class=${`row ${small ? 'small' : ''}`}
      role="img"
      aria-label=${label ? `${label}${t('colon')}${names}` : names}
    >
      ${cards.map(
        (text, index) => html`
          <span key=${`${text}${index}`} class=${`card ${suitClass(face(deck, text))}`}>
            <${CardFace} card=${face(deck, text)} wild=${wild.includes(text)} />
          </span>
        `,
      )}
    </span>
  `;
}
