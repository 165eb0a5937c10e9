// Component EstimateMatrix: expected cards of a seat as ranks by suits; opacity is belief, a ring is a true card.
import { cardName, face, rankText } from '../cards/card_text.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { cellOpacity, makeGrid } from './estimate_grid.js';

const HEAD = 13;
const SIDE = 13;

export function EstimateMatrix({ deck, estimate, seat, name, width, height, hasTruth }) {
  const grid = makeGrid(deck);
  const [cellWidth, cellHeight] = [(width - SIDE) / grid.columns, (height - HEAD) / grid.rows];
  const { cards, hands, truth } = estimate;
  const most = Math.max(1, ...hands.flat());
  const radius = Math.max(2, Math.min(cellWidth, cellHeight) / 2 - 1.5);
  return html`
    <svg class="matrix" width=${width} height=${height} role="img" aria-label=${t('estimateOf', name)}>
      ${grid.ranks.map(
        (rank, column) => html`
          <text key=${rank} class="rank-name" x=${SIDE + (column + 0.5) * cellWidth} y=${HEAD - 3} text-anchor="middle">
            ${rankText(rank)}
          </text>
        `,
      )}
      ${grid.suits.map(
        (suit, row) => html`
          <text
            key=${suit}
            class=${`suit-name suit-${suit}`}
            x=${SIDE / 2}
            y=${HEAD + (row + 0.5) * cellHeight + 4}
            text-anchor="middle"
          >
            ${grid.symbols[row]}
          </text>
        `,
      )}
      ${[...grid.places].map(([text, [column, row]]) => {
        const index = cards.indexOf(text);
        const [copies, held] = index < 0 ? [0, 0] : [hands[seat][index], truth[seat][index]];
        const [x, y] = [SIDE + column * cellWidth, HEAD + row * cellHeight];
        return html`
          <g key=${text}>
            <rect class="ground-cell" x=${x} y=${y} width=${cellWidth - 1} height=${cellHeight - 1} />
            ${
              index >= 0 &&
              html`
                <rect
                  class="belief"
                  x=${x}
                  y=${y}
                  width=${cellWidth - 1}
                  height=${cellHeight - 1}
                  style=${{ fillOpacity: cellOpacity(copies, most) }}
                />
              `
            }
            <title>
              ${cardName(deck, text)}${t('colon')}
              ${index < 0 ? t('notHidden') : t('expectedCopies', copies.toFixed(2))}
              ${hasTruth && index >= 0 ? t('trueCopies', held) : ''}
            </title>
            ${
              face(deck, text).isNamed &&
              html`
                <text
                  class="rank-name"
                  x=${x + cellWidth / 2 - 0.5}
                  y=${y + cellHeight / 2 + 4}
                  text-anchor="middle"
                >
                  ${face(deck, text).isTop ? '★' : '☆'}
                </text>
              `
            }
            ${
              hasTruth &&
              held > 0 &&
              html`
                <circle class="truth" cx=${x + (cellWidth - 1) / 2} cy=${y + (cellHeight - 1) / 2} r=${radius} />
              `
            }
            ${
              hasTruth &&
              held > 1 &&
              html`
                <circle
                  class="truth"
                  cx=${x + (cellWidth - 1) / 2}
                  cy=${y + (cellHeight - 1) / 2}
                  r=${Math.max(1, radius - 3)}
                />
              `
            }
          </g>
        `;
      })}
    </svg>
  `;
}
