// Component Axes: grid lines, ticks and labels of a chart.
import { html } from '../html.js';

export function Axes({ box, x, y, xText, yText, grid = 'both' }) {
  const { left, right, top, bottom } = box;
  return html`
    <g class="axes" aria-hidden="true">
      ${x.ticks.map(
        (tick) => html`
          <g key=${`x${tick.text}`}>
            <line class="grid-line" x1=${tick.at} x2=${tick.at} y1=${top} y2=${bottom} />
            <text class="tick" x=${tick.at} y=${bottom + 16} text-anchor="middle">${tick.text}</text>
          </g>
        `,
      )}
      ${
        grid === 'both' &&
        y.ticks.map(
          (tick) => html`
            <g key=${`y${tick.text}`}>
              <line class="grid-line" x1=${left} x2=${right} y1=${tick.at} y2=${tick.at} />
              <text class="tick" x=${left - 6} y=${tick.at + 4} text-anchor="end">${tick.text}</text>
            </g>
          `,
        )
      }
      <line class="axis-line" x1=${left} x2=${right} y1=${bottom} y2=${bottom} />
      <line class="axis-line" x1=${left} x2=${left} y1=${top} y2=${bottom} />
      <text class="axis-name" x=${(left + right) / 2} y=${bottom + 34} text-anchor="middle">${xText}</text>
      ${yText && html`<text class="axis-name" x="2" y=${top - 8}>${yText}</text>`}
    </g>
  `;
}
