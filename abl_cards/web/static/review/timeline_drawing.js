// Component TimelineDrawing: axes, band, curve, glyphs and the current act of the timeline.
import { html } from '../html.js';
import { t } from '../words.js';
import { GLYPHS } from './glyphs.js';
import { areaPath, bandPath, linePath, MARGINS, niceTicks, trickTicks, valueAt } from './timeline_scale.js';

export function TimelineDrawing(props) {
  const { size, scale, low, high, tricks, series, marks, mySeats, seatAt, current, label, svgRef } = props;
  const { width, height } = size;
  const bottom = height - MARGINS.bottom;
  const ticks = niceTicks(low, high, height > 130 ? 6 : 4);
  return html`
    <svg
      ref=${svgRef}
      xmlns="http://www.w3.org/2000/svg"
      width=${width}
      height=${height}
      viewBox=${`0 0 ${width} ${height}`}
      aria-hidden="true"
    >
      ${ticks.map(
        (tick) => html`
          <g key=${tick}>
            <line
              class=${tick === 0 ? 'zero' : 'rule'}
              x1=${MARGINS.left}
              x2=${width - MARGINS.right}
              y1=${scale.y(tick)}
              y2=${scale.y(tick)}
            />
            <text class="tick" x=${MARGINS.left - 6} y=${scale.y(tick) + 4} text-anchor="end">
              ${tick > 0 ? `+${tick}` : String(tick).replace('-', '−')}
            </text>
          </g>
        `,
      )}
      ${trickTicks(tricks, scale.x, 46, width).map(
        ({ trick, start }) => html`
          <g key=${trick}>
            <line class="rule" x1=${scale.x(start)} x2=${scale.x(start)} y1=${MARGINS.top} y2=${bottom} />
            <text class="tick" x=${scale.x(start) + 3} y=${height - 8}>${t('trickNumber', trick)}</text>
          </g>
        `,
      )}
      <text class="unit" x=${MARGINS.left} y="12">${label}</text>
      <path class="area" d=${areaPath(series, scale)} />
      <path class="band" d=${bandPath(series, scale)} />
      <path class="curve" d=${linePath(series, scale)} />
      ${[...marks].map(([place, glyph]) => {
        const isMine = mySeats.includes(seatAt(place));
        const [x, y] = [scale.x(place), scale.y(valueAt(series, place))];
        return html`
          <g key=${place} class=${`glyph grade${GLYPHS.indexOf(glyph)} ${isMine ? '' : 'theirs'}`}>
            <circle cx=${x} cy=${y} r=${isMine ? 5 : 3.5} />
            <text x=${x} y=${Math.max(MARGINS.top + 4, y - 8)} text-anchor="middle">${glyph}</text>
          </g>
        `;
      })}
      <line class="current" x1=${scale.x(current)} x2=${scale.x(current)} y1=${MARGINS.top - 4} y2=${bottom} />
    </svg>
  `;
}
