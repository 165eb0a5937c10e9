// Component HeatMap: expected cards of each seat; darker is more; rings mark the true cards.
import { cardName, face, shortRank } from '../cards/card_text.js';
import { html } from '../html.js';
import { t } from '../words.js';

const CELL_WIDTH = 17,
  CELL_HEIGHT = 22,
  LABEL_WIDTH = 84;

export function HeatMap({ estimate, deck, names, truth }) {
  const { cards, hands } = estimate;
  const maxCopies = Math.max(1, ...hands.flat());
  const width = LABEL_WIDTH + cards.length * CELL_WIDTH + 4;
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${t('estimated')}>
      <svg
        class="heat"
        width=${width}
        height=${34 + hands.length * CELL_HEIGHT}
        role="img"
        aria-label=${t('estimated')}
      >
        ${cards.map(
          (text, column) => html`
            <text
              key=${text}
              class=${`small-card ${face(deck, text).suit}`}
              x=${LABEL_WIDTH + column * CELL_WIDTH + CELL_WIDTH / 2}
              y="14"
              text-anchor="middle"
            >
              ${face(deck, text).symbol}
              <tspan x=${LABEL_WIDTH + column * CELL_WIDTH + CELL_WIDTH / 2} dy="12">
                ${shortRank(face(deck, text))}
              </tspan>
            </text>
          `,
        )}
        ${hands.map(
          (row, seat) => html`
            <g key=${seat}>
              <text class="who" x="4" y=${30 + seat * CELL_HEIGHT + 15}>
                ${String(names[seat] ?? seat).slice(0, 11)}
              </text>
              ${row.map(
                (copies, column) => html`
                  <g key=${column}>
                    <rect
                      class="cell"
                      x=${LABEL_WIDTH + column * CELL_WIDTH}
                      y=${30 + seat * CELL_HEIGHT}
                      width=${CELL_WIDTH - 1}
                      height=${CELL_HEIGHT - 1}
                      style=${{ fillOpacity: Math.max(0.04, copies / maxCopies) }}
                    >
                      <title>
                        ${names[seat]}${t('colon')}${cardName(deck, cards[column])} ${copies.toFixed(2)}
                        ${truth ? ` / ${truth[seat][column]}` : ''}
                      </title>
                    </rect>
                    ${
                      truth &&
                      truth[seat][column] > 0 &&
                      html`
                        <circle
                          class="true"
                          cx=${LABEL_WIDTH + column * CELL_WIDTH + CELL_WIDTH / 2 - 0.5}
                          cy=${30 + seat * CELL_HEIGHT + CELL_HEIGHT / 2}
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
