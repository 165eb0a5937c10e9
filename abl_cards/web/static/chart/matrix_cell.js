// Component MatrixCell: a cell of a matrix, its shade, value, interval and rings.
import { html } from '../html.js';
import { axisFactor } from './scale.js';

const MIDDLE = 0.55,
  DARK = 0.77;

export function MatrixCell({ plot, down, across, x, y, size, height, hasBounds, small, isCurrent, onSelect }) {
  const value = plot.values[down]?.[across];
  const share = value == null ? 0 : Math.min(1, Math.max(0, value / plot.top));
  const bounds = plot.bounds?.[down]?.[across];
  const digits = plot.value.is_share ? 0 : 2;
  const shown = value == null ? '–' : (value * (plot.value.is_share ? 100 : 1)).toFixed(digits);
  const isShown = !small && size >= 7 * shown.length && (value == null || Number(shown) > 0 || !plot.marks);
  const middle = y + height / 2;
  return html`
    <g class=${share > DARK ? 'dark-cell' : share > MIDDLE ? 'middle-cell' : 'light-cell'} onPointerEnter=${onSelect}>
      <rect class="cell-ground" x=${x + 1} y=${y + 1} width=${size - 2} height=${height - 2} />
      <rect class="cell" x=${x + 1} y=${y + 1} width=${size - 2} height=${height - 2}
          fill-opacity=${share.toFixed(3)} />
      ${Array.from(
        { length: plot.marks?.[down]?.[across] ?? 0 },
        (_, ring) => html`
        <circle key=${ring} class="ring" cx=${x + size / 2} cy=${middle}
          r=${(small ? 6 : 14) - 4 * ring} />`,
      )}
      ${
        isShown &&
        html`
        <text class="cell-value" x=${x + size / 2} y=${middle + (hasBounds && bounds ? -2 : 4)}
          text-anchor="middle">${shown}</text>`
      }
      ${
        hasBounds &&
        bounds &&
        html`
        <text class="cell-bounds" x=${x + size / 2} y=${middle + 13}
          text-anchor="middle">${boundsText(plot.value, bounds)}</text>`
      }
      ${isCurrent && html`<rect class="cell-current" x=${x + 1} y=${y + 1} width=${size - 2} height=${height - 2} />`}
    </g>
  `;
}

// Whole numbers of an interval.
const boundsText = (axis, bounds) =>
  bounds.map((bound) => (bound == null ? '' : (bound * axisFactor(axis)).toFixed(axis.is_share ? 0 : 1))).join('–');
