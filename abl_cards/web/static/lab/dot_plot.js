// Component DotPlot: a dot with its interval for each row, on one scale in percent, with a line at one half.
import { fixedPercent } from '../format.js';
import { html } from '../html.js';

const HEIGHT = 16;

// `all` are the rows whose intervals the scale holds, if more than those that are drawn.
export function DotPlot({ rows, all = rows, isFramed = true }) {
  const low = Math.max(0, Math.min(0.5, ...all.map((row) => row.low)) - 0.02);
  const high = Math.min(1, Math.max(0.5, ...all.map((row) => row.high)) + 0.02);
  const x = (value) => ((100 * (value - low)) / Math.max(1e-9, high - low)).toFixed(2);
  return html`
    <div class="chart dots">
      ${rows.map(
        (row, index) => html`
          <div key=${row.key ?? index} class="chart-row">
            ${row.name != null && html`<span class="chart-name">${row.name}</span>`}
            <svg
              role="img"
              aria-label=${`${fixedPercent(row.rate)} (${fixedPercent(row.low)} – ${fixedPercent(row.high)})`}
              viewBox=${`0 0 100 ${HEIGHT}`}
              height=${HEIGHT}
              preserveAspectRatio="none"
              xmlns="http://www.w3.org/2000/svg"
            >
              <line class="chart-half" x1=${x(0.5)} x2=${x(0.5)} y1="0" y2=${HEIGHT} />
              <line class="interval" x1=${x(row.low)} x2=${x(row.high)} y1=${HEIGHT / 2} y2=${HEIGHT / 2} />
              <line class="dot" x1=${x(row.rate)} x2=${x(row.rate)} y1=${HEIGHT / 2} y2=${HEIGHT / 2} />
            </svg>
            <span class="chart-values">
              <b>${fixedPercent(row.rate)}</b>${' '}
              <span class="small">${fixedPercent(row.low)} – ${fixedPercent(row.high)}</span>
            </span>
          </div>
        `,
      )}
      ${
        isFramed &&
        html`
          <div class="chart-row chart-ends" aria-hidden="true">
            <span class="chart-name"></span>
            <span class="ends"><span>${fixedPercent(low)}</span><span>${fixedPercent(high)}</span></span>
            <span class="chart-values"></span>
          </div>
        `
      }
    </div>
  `;
}
