// Component CardFace: the front of a card as SVG; the corner is legible in a fan.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { rankText } from './card_text.js';

const MAX_LETTERS = 5;

// Letters of the name of a card such as a joker, from top to bottom.
function nameLetters(card) {
  const name = localise(card.name);
  return /[\u0080-\uffff]/.test(name) ? [...name] : [...name.toUpperCase().split(' ').at(-1)];
}

export function CardFace({ card, wild }) {
  const rank = rankText(card.rank);
  const letters = card.isNamed ? nameLetters(card).slice(0, MAX_LETTERS) : [];
  const isChinese = letters[0] > '\u0080';
  return html`
    <svg class="face" viewBox="0 0 60 84" aria-hidden="true" focusable="false">
      <rect class="paper" x="0.5" y="0.5" width="59" height="83" rx="6" />
      ${
        card.isNamed
          ? html`
            ${letters.map(
              (letter, index) => html`
                <text
                  class=${isChinese ? 'down' : 'down latin'}
                  x="11"
                  y=${isChinese ? 20 + index * 18 : 15 + index * 13}
                  text-anchor="middle"
                >
                  ${letter}
                </text>
              `,
            )}
            <text class="large plain" x="38" y="62" text-anchor="middle">
              ${card.isTop ? '★' : '☆'}
            </text>
          `
          : html`
            <text
              class="rank"
              x="10.5"
              y="20"
              text-anchor="middle"
              textLength=${rank.length > 1 ? 18 : undefined}
              lengthAdjust="spacingAndGlyphs"
            >
              ${rank}
            </text>
            <text class="suit" x="10.5" y="36" text-anchor="middle">
              ${card.symbol}
            </text>
            <text class="large" x="36" y="68" text-anchor="middle">
              ${card.symbol || rank}
            </text>
          `
      }
      ${
        wild &&
        html`
          <path
            class="wild"
            d="M50 5l1.900 4 4.400.500-3.200 3 .8 4.300L50 14.700l-3.900 2.100.8-4.300-3.200-3 4.400-.500z"
          />
        `
      }
    </svg>
  `;
}
