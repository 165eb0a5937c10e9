// Component MatrixChart: numbers for pairs of names in shades of one blue, with intervals and rings.
import { html, useEffect, useState } from '../html.js';
import { MatrixCell } from './matrix_cell.js';
import { axisText, measureText } from './scale.js';

const LETTER = 6.7,
  LEAST_CELL = 30;

export function MatrixChart({ plot, width, small, onRead }) {
  const [cell, setCell] = useState(null);
  const rowsWidth = Math.min(0.4 * width, Math.max(...plot.rows.map((row) => row.length)) * LETTER + 14);
  const longest = Math.max(...plot.columns.map((column) => column.length)) * LETTER;
  const size = Math.max(small ? 14 : LEAST_CELL, Math.min(64, (width - rowsWidth - 8) / plot.columns.length));
  const isSlanted = longest > size - 4;
  const top = isSlanted ? 0.64 * longest + 18 : 22;
  const hasBounds = plot.bounds?.length > 0 && size >= 48 && !small;
  const height = small ? Math.min(size, 26) : hasBounds ? 40 : Math.min(34, size);
  const total = rowsWidth + plot.columns.length * size + (isSlanted ? 0.5 * longest : 4);
  useEffect(() => onRead?.(cell ? cellText(plot, ...cell) : ''), [cell]);
  const onKeyDown = (event) => {
    const [down, across] = cell ?? [0, 0];
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const clamp = (value, count) => Math.min(count - 1, Math.max(0, value));
    setCell(cell ? [clamp(down + move[0], plot.rows.length), clamp(across + move[1], plot.columns.length)] : [0, 0]);
  };
  const interaction = small ? { role: 'img' } : { role: 'application', tabindex: 0, onKeyDown };
  return html`
    <div class="scroll">
      <svg
        class=${`chart matrix-chart ${small ? 'small-chart' : ''}`}
        width=${small ? undefined : total}
        viewBox=${`0 0 ${Math.max(total, small ? width : 0)} ${top + plot.rows.length * height + 4}`}
        aria-label=${`${plot.title}, ${axisText(plot.value)}`}
        xmlns="http://www.w3.org/2000/svg"
        onPointerLeave=${() => setCell(null)}
        ...${interaction}
      >
        ${plot.columns.map((column, across) => {
          const x = rowsWidth + (across + 0.5) * size;
          return html`
            <text
              key=${column}
              class="row-name"
              x=${x}
              y=${top - 6}
              text-anchor=${isSlanted ? 'start' : 'middle'}
              transform=${isSlanted ? `rotate(-38 ${x} ${top - 6})` : undefined}
            >
              ${column}
            </text>
          `;
        })}
        ${plot.rows.map(
          (row, down) => html`
            <g key=${row}>
              <text class="row-name" x=${rowsWidth - 8} y=${top + (down + 0.5) * height + 4}
                  text-anchor="end">${row}</text>
              ${plot.columns.map(
                (column, across) => html`
                  <${MatrixCell}
                    key=${column}
                    plot=${plot}
                    down=${down}
                    across=${across}
                    x=${rowsWidth + across * size}
                    y=${top + down * height}
                    size=${size}
                    height=${height}
                    hasBounds=${hasBounds}
                    small=${small}
                    isCurrent=${cell?.[0] === down && cell?.[1] === across}
                    onSelect=${() => setCell([down, across])}
                  />
                `,
              )}
            </g>
          `,
        )}
      </svg>
    </div>
  `;
}

// A cell with its interval and sample size, as text.
function cellText(plot, down, across) {
  const value = plot.values[down]?.[across];
  const held = plot.marks?.[down]?.[across];
  const measure = measureText(
    plot.value,
    [value, ...(plot.bounds?.[down]?.[across] ?? [])],
    plot.counts?.[down]?.[across],
  );
  return `${plot.rows[down]} · ${plot.columns[across]}: ${measure}${held ? ` · ${held}` : ''}`;
}
