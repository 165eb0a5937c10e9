// Component CalibrationCurve: predicted probabilities of hidden cards against the shares that were observed.
import { html } from '../html.js';
import { t } from '../words.js';

const SIZE = { width: 300, height: 210, left: 36, right: 18, top: 10, bottom: 34 };
const TICKS = [0, 0.25, 0.5, 0.75, 1];

export function CalibrationCurve({ bins }) {
  const total = bins.reduce((sum, bin) => sum + bin.n, 0);
  if (!total) return null;
  const { width, height, left, right, top, bottom } = SIZE;
  const x = (value) => left + (width - left - right) * value;
  const y = (value) => top + (height - top - bottom) * (1 - value);
  const most = Math.max(...bins.map((bin) => bin.n));
  const percent = (value) => `${Math.round(100 * value)}%`;
  return html`
    <figure class="calibration">
      <figcaption>${t('calibration')}</figcaption>
      <svg
        viewBox=${`0 0 ${width} ${height}`}
        role="img"
        aria-label=${`${t('calibration')}${t('colon')}${t('predictions', total.toLocaleString('en'))}`}
      >
        ${TICKS.map(
          (tick) => html`
            <g key=${tick}>
              <line class="rule" x1=${x(0)} x2=${x(1)} y1=${y(tick)} y2=${y(tick)} />
              <text class="tick" x=${left - 4} y=${y(tick) + 4} text-anchor="end">${percent(tick)}</text>
              <text class="tick" x=${x(tick)} y=${height - bottom + 14} text-anchor="middle">${percent(tick)}</text>
            </g>
          `,
        )}
        <line class="ideal" x1=${x(0)} y1=${y(0)} x2=${x(1)} y2=${y(1)} />
        <polyline
          class="curve"
          points=${bins.map((bin) => `${x(bin.predicted).toFixed(1)},${y(bin.observed).toFixed(1)}`).join(' ')}
        />
        ${bins.map(
          (bin) => html`
            <circle
              key=${bin.predicted}
              class="dot"
              cx=${x(bin.predicted)}
              cy=${y(bin.observed)}
              r=${2 + 4 * Math.sqrt(bin.n / most)}
            >
              <title>${t('bin', percent(bin.predicted), percent(bin.observed), bin.n)}</title>
            </circle>
          `,
        )}
        <text class="tick" x=${(x(0) + x(1)) / 2} y=${height - 4} text-anchor="middle">
          ${t('calibrationAxes', total.toLocaleString('en'))}
        </text>
      </svg>
      <p class="small">${t('calibrationLegend')}</p>
    </figure>
  `;
}
