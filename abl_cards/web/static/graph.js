// Component Graph: lines over the acts of a record or the rows of a run.
import { html } from './html.js';

const WIDTH = 900,
  HEIGHT = 150,
  MARGIN_LEFT = 38,
  MARGIN_BOTTOM = 18;

export function Graph({ label, length, lines, marks = [], current, onSelect, svgRef, zero = true }) {
  const values = lines.flatMap((line) => line.points.map(([, value]) => value)).concat(zero ? [0] : []);
  const top = Math.max(...values, zero ? 0.5 : 0),
    low = Math.min(...values, zero ? -0.5 : 0);
  const x = (index) => MARGIN_LEFT + ((WIDTH - MARGIN_LEFT - 8) * index) / Math.max(1, length - 1);
  const y = (value) => 8 + ((HEIGHT - MARGIN_BOTTOM - 8) * (top - value)) / Math.max(1e-9, top - low);
  const selectAtPointer = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.round(
      ((((event.clientX - box.left) / box.width) * WIDTH - MARGIN_LEFT) / (WIDTH - MARGIN_LEFT - 8)) * (length - 1),
    );
    onSelect(Math.min(length - 1, Math.max(0, index)));
  };
  return html`
    <svg
      class="graph"
      ref=${svgRef}
      viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label=${label}
      onClick=${selectAtPointer}
      xmlns="http://www.w3.org/2000/svg"
    >
      <rect class="ground" x="0" y="0" width=${WIDTH} height=${HEIGHT} />
      <line class="axis" x1=${MARGIN_LEFT} x2=${WIDTH - 8} y1=${y(zero ? 0 : low)} y2=${y(zero ? 0 : low)} />
      <text x="2" y=${y(top) + 8}>
        ${top.toFixed(1)}
      </text>
      <text x="2" y=${y(low)}>
        ${low.toFixed(1)}
      </text>
      ${lines.map(
        (line, index) => html`
          <polyline
            key=${line.name}
            class=${`line line${index}`}
            points=${line.points.map(([index, value]) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}
          />
          <text class=${`name line${index}`} x=${MARGIN_LEFT + 6 + index * 150} y=${HEIGHT - 4}>
            ${line.name}
          </text>
        `,
      )}
      ${marks.map(
        (mark) => html`
          <circle key=${mark.place} class="mark" cx=${x(mark.place)} cy=${y(mark.value)} r="5">
            <title>${mark.text}</title>
          </circle>
        `,
      )}
      <line class="now" x1=${x(current)} x2=${x(current)} y1="4" y2=${HEIGHT - MARGIN_BOTTOM} />
    </svg>
  `;
}
