// Component Timeline: points of one side over the acts of a record, with their 95 % band; drag or click to go.
import { html, useRef, useState } from '../html.js';
import { useSize } from '../table/use_size.js';
import { t } from '../words.js';
import { GLYPHS } from './glyphs.js';
import { areaPath, bandPath, linePath, makeScale, MARGINS, niceTicks, trickTicks, valueAt, valueRange } from './timeline_scale.js';
import { TimelineCard } from './timeline_card.js';

export function Timeline({ length, tricks, series, marks, mySeats, seatAt, current, onSelect, label, shortLabel, describe, svgRef }) {
  const [space, size] = useSize();
  const [hover, setHover] = useState(null);
  const isDragging = useRef(false);
  const [low, high] = valueRange(series);
  const scale = size && makeScale({ width: size.width, height: size.height, length, low, high });
  const indexOf = (event) => scale.indexAt(event.clientX - space.current.getBoundingClientRect().left);
  const handlers = {
    onPointerDown: (event) => {
      if (event.button > 0) return;
      isDragging.current = true;
      event.currentTarget.setPointerCapture(event.pointerId);
      onSelect(indexOf(event));
    },
    onPointerMove: (event) => {
      const index = indexOf(event);
      setHover(index);
      if (isDragging.current) onSelect(index);
    },
    onPointerUp: () => {
      isDragging.current = false;
    },
    onPointerCancel: () => {
      isDragging.current = false;
    },
    onPointerLeave: () => setHover(null),
  };
  return html`
    <div
      class="timeline"
      ref=${space}
      role="slider"
      tabindex="0"
      aria-label=${label}
      aria-valuemin="1"
      aria-valuemax=${length}
      aria-valuenow=${current + 1}
      aria-valuetext=${describe(current)}
      ...${handlers}
    >
      ${
        scale &&
        html`
          <${TimelineDrawing}
            ...${{ size, scale, low, high, length, tricks, series, marks, mySeats, seatAt, current, svgRef }}
            label=${size.width < 560 ? shortLabel : label}
          />
          ${hover != null && html`<${TimelineCard} x=${scale.x(hover)} width=${size.width} text=${describe(hover)} />`}
        `
      }
    </div>
  `;
}

function TimelineDrawing({ size, scale, low, high, tricks, series, marks, mySeats, seatAt, current, label, svgRef }) {
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
            <line class=${tick === 0 ? 'zero' : 'rule'} x1=${MARGINS.left} x2=${width - MARGINS.right} y1=${scale.y(tick)} y2=${scale.y(tick)} />
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
