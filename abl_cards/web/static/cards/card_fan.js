// Component CardFan: cards in a rectangle, as large as they fit, with one label for screen readers.
import { html } from '../html.js';
import { fanOut } from '../table/layout.js';
import { pixels, spotStyle } from '../table/place_style.js';
import { CardFace } from './card_face.js';
import { cardName, face, suitClass } from './card_text.js';
import { t } from '../words.js';

export function CardFan({ deck, cards, wild = [], label, width, height, card = 60, numRows = 1, marked = [] }) {
  if (!cards.length) return null;
  const fan = fanOut(cards.length, { w: width, h: height }, { card, numRows, ratio: 0.58 });
  const names = cards.map((text) => cardName(deck, text)).join(t('comma'));
  const rest = [...marked];
  const takeMark = (text) => {
    const index = rest.indexOf(text);
    if (index >= 0) rest.splice(index, 1);
    return index >= 0;
  };
  return html`
    <span
      class="row fan"
      role="img"
      aria-label=${label ? `${label}${t('colon')}${names}` : names}
      style=${pixels({ width, height })}
    >
      ${cards.map(
        (text, index) => html`
          <span
            key=${`${text}${index}`}
            class=${`card ${suitClass(face(deck, text))} ${takeMark(text) ? 'marked' : ''}`}
            style=${spotStyle(fan.spots[index], fan.width)}
          >
            <${CardFace} card=${face(deck, text)} wild=${wild.includes(text)} />
          </span>
        `,
      )}
    </span>
  `;
}
