// Component CardFace: the front of a card as SVG; the corner is legible in a fan.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { rankText } from './card_text.js';

export function CardFace({ card, wild }) {
  const rank = rankText(card.rank);
  const isLong = !card.suit && card.rank.length > 1;
  const name = localise(card.name);
  const corner = html`
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
  `;
  return html`
    <svg class="face" viewBox="0 0 60 84" aria-hidden="true" focusable="false">
      <rect class="paper" x="0.5" y="0.5" width="59" height="83" rx="6" />
      ${
        card.suit
          ? html`
            ${corner}
            <text class="suit" x="10.5" y="36" text-anchor="middle">
              ${card.symbol}
            </text>
            <text class="large" x="36" y="68" text-anchor="middle">
              ${card.symbol}
            </text>
          `
          : isLong
            ? html`
              <text class="down" transform=${/[\u0080-\uffff]/.test(name) ? undefined : 'translate(6 8) rotate(90)'}>
                ${
                  /[\u0080-\uffff]/.test(name)
                    ? [...name].slice(0, 4).map(
                        (letter, index) => html`
                          <tspan x="4" y=${18 + index * 14}>
                            ${letter}
                          </tspan>
                        `,
                      )
                    : name
                }
              </text>
              <text class="large plain" x="38" y="62" text-anchor="middle">
                ★
              </text>
            `
            : html`
              ${corner}
              <path class="pip" d="M37 34l13 20-13 20-13-20z" />
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
