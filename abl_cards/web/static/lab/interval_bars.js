// Component IntervalBars: bars of several series with their intervals, one group for each row, from zero.
import { html } from '../html.js';

const HEIGHT = 14;

const numberText = (value, unit) => (value == null ? '–' : `${value.toFixed(value < 10 ? 2 : 1)}${unit && ` ${unit}`}`);

const spoken = (row, series, unit) =>
  row.values
    .map(({ value, low, high }, index) => {
      const interval = low == null ? '' : ` (${numberText(low, unit)} – ${numberText(high, unit)})`;
      return `${series[index]} ${numberText(value, unit)}${interval}`;
    })
    .join('; ');

export function IntervalBars({ rows, series, unit = '' }) {
  const all = rows.flatMap((row) => row.values.flatMap(({ value, high }) => [value ?? 0, high ?? 0]));
  const top = unit === '%' ? 100 : Math.max(1e-9, ...all) * 1.05;
  const x = (value) => ((100 * Math.min(top, Math.max(0, value))) / top).toFixed(2);
  return html`
    <div class="chart bars">
      <p class="legend" aria-hidden="true">
        ${series.map((name, index) => html`<span key=${name} class=${`key series-${index + 1}`}>${name}</span>`)}
      </p>
      ${rows.map(
        (row) => html`
          <div key=${row.name} class="chart-row">
            <span class="chart-name">${row.name}</span>
            <svg
              role="img"
              aria-label=${`${row.name}: ${spoken(row, series, unit)}`}
              viewBox=${`0 0 100 ${HEIGHT * row.values.length}`}
              height=${HEIGHT * row.values.length}
              preserveAspectRatio="none"
              xmlns="http://www.w3.org/2000/svg"
            >
              <title>${spoken(row, series, unit)}</title>
              <line class="chart-axis" x1="0" x2="0" y1="0" y2=${HEIGHT * row.values.length} />
              ${row.values.map(({ value, low, high }, index) => {
                const middle = HEIGHT * (index + 0.5);
                return (
                  value != null &&
                  html`
                    <rect
                      class=${`series-${index + 1}`}
                      x="0"
                      y=${middle - HEIGHT / 2 + 1}
                      width=${x(value)}
                      height=${HEIGHT - 2}
                    />
                    ${
                      low != null &&
                      html`
                        <line class="whisker" x1=${x(low)} x2=${x(high)} y1=${middle} y2=${middle} />
                        <line class="whisker" x1=${x(low)} x2=${x(low)} y1=${middle - 3} y2=${middle + 3} />
                        <line class="whisker" x1=${x(high)} x2=${x(high)} y1=${middle - 3} y2=${middle + 3} />
                      `
                    }
                  `
                );
              })}
            </svg>
            <span class="chart-values">
              ${row.values.map((item, index) => html`<span key=${index}>${numberText(item.value, unit)}</span>`)}
            </span>
          </div>
        `,
      )}
    </div>
  `;
}
