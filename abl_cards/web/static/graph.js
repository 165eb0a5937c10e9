// Lines over the acts of a record: what was expected, what was given away, how far estimates were from the truth.
import { html } from './html.js';

const WIDE = 900,
  HIGH = 150,
  LEFT = 38,
  LOW = 18;

export function Graph({ label, length, lines, marks = [], at, go, refer, zero = true }) {
  const values = lines.flatMap((line) => line.points.map(([, value]) => value)).concat(zero ? [0] : []);
  const top = Math.max(...values, zero ? 0.5 : 0),
    low = Math.min(...values, zero ? -0.5 : 0);
  const x = (place) => LEFT + ((WIDE - LEFT - 8) * place) / Math.max(1, length - 1);
  const y = (value) => 8 + ((HIGH - LOW - 8) * (top - value)) / Math.max(1e-9, top - low);
  const click = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const place = Math.round(
      ((((event.clientX - box.left) / box.width) * WIDE - LEFT) / (WIDE - LEFT - 8)) * (length - 1),
    );
    go(Math.min(length - 1, Math.max(0, place)));
  };
  return html`
    <svg
      class="graph"
      ref=${refer}
      viewBox=${`0 0 ${WIDE} ${HIGH}`}
      role="img"
      aria-label=${label}
      onClick=${click}
      xmlns="http://www.w3.org/2000/svg"
    >
      <rect class="ground" x="0" y="0" width=${WIDE} height=${HIGH} />
      <line class="axis" x1=${LEFT} x2=${WIDE - 8} y1=${y(zero ? 0 : low)} y2=${y(zero ? 0 : low)} />
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
          <text class=${`name line${number}`} x=${LEFT + 6 + number * 150} y=${HIGH - 4}>
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
      <line class="now" x1=${x(at)} x2=${x(at)} y1="4" y2=${HIGH - LOW} />
    </svg>
  `;
}
