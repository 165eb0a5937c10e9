// Estimated hands as a picture: a row a seat, a column a card, the darker the more is expected; the truth as rings.
import { html } from './html.js';
import { t } from './words.js';
import { face, nameOf, shown } from './cards.js';

const WIDE = 17,
  HIGH = 22,
  LEFT = 84;

export function HeatMap({ estimate, deck, names, truth }) {
  const { cards, hands } = estimate;
  const most = Math.max(1, ...hands.flat());
  const width = LEFT + cards.length * WIDE + 4;
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${t('estimated')}>
      <svg class="heat" width=${width} height=${34 + hands.length * HIGH} role="img" aria-label=${t('estimated')}>
        ${cards.map(
          (text, column) => html`
            <text
              key=${text}
              class=${`small-card ${face(deck, text).suit}`}
              x=${LEFT + column * WIDE + WIDE / 2}
              y="14"
              text-anchor="middle"
            >
              ${face(deck, text).symbol}
              <tspan x=${LEFT + column * WIDE + WIDE / 2} dy="12">
                ${shown(face(deck, text).rank)}
              </tspan>
            </text>
          `,
        )}
        ${hands.map(
          (row, seat) => html`
            <g key=${seat}>
              <text class="who" x="4" y=${30 + seat * HIGH + 15}>
                ${String(names[seat] ?? seat).slice(0, 11)}
              </text>
              ${row.map(
                (copies, column) => html`
                  <g key=${column}>
                    <rect
                      class="cell"
                      x=${LEFT + column * WIDE}
                      y=${30 + seat * HIGH}
                      width=${WIDE - 1}
                      height=${HIGH - 1}
                      style=${{ fillOpacity: Math.max(0.04, copies / most) }}
                    >
                      <title>
                        ${names[seat]}: ${nameOf(deck, cards[column])} ${copies.toFixed(2)}
                        ${truth ? ` / ${truth[seat][column]}` : ''}
                      </title>
                    </rect>
                    ${
                      truth &&
                      truth[seat][column] > 0 &&
                      html`
                        <circle
                          class="true"
                          cx=${LEFT + column * WIDE + WIDE / 2 - 0.5}
                          cy=${30 + seat * HIGH + HIGH / 2}
                          r=${truth[seat][column] > 1 ? 6 : 4}
                        />
                      `
                    }
                  </g>
                `,
              )}
            </g>
          `,
        )}
      </svg>
    </div>
  `;
}
