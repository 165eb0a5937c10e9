// Component Graph: lines over the acts of a record or the rows of a run.
import { html } from './html.js';

const WIDTH = 900,
  HEIGHT = 150,
  MARGIN_LEFT = 38,
  MARGIN_BOTTOM = 18;

export function Graph({ label, length, lines, marks = [], at, go, refer, zero = true }) {
  const values = lines.flatMap((line) => line.points.map(([, value]) => value)).concat(zero ? [0] : []);
  const top = Math.max(...values, zero ? 0.5 : 0),
    low = Math.min(...values, zero ? -0.5 : 0);
  const x = (place) => MARGIN_LEFT + ((WIDTH - MARGIN_LEFT - 8) * place) / Math.max(1, length - 1);
  const y = (value) => 8 + ((HEIGHT - MARGIN_BOTTOM - 8) * (top - value)) / Math.max(1e-9, top - low);
  const click = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const place = Math.round(
      ((((event.clientX - box.left) / box.width) * WIDTH - MARGIN_LEFT) / (WIDTH - MARGIN_LEFT - 8)) * (length - 1),
    );
    go(Math.min(length - 1, Math.max(0, place)));
  };
  return html`
    <svg
      class="graph"
      ref=${refer}
      viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label=${label}
      onClick=${click}
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
        (line, number) => html`
          <polyline
            key=${line.name}
            class=${`line line${number}`}
            points=${line.points.map(([place, value]) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}
          />
          <text class=${`name line${number}`} x=${MARGIN_LEFT + 6 + number * 150} y=${HEIGHT - 4}>
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
      <line class="now" x1=${x(at)} x2=${x(at)} y1="4" y2=${HEIGHT - MARGIN_BOTTOM} />
    </svg>
  `;
}
