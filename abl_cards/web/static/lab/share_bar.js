// Component ShareBar: one share as a bar.
import { percent } from '../format.js';
import { html } from '../html.js';

export function ShareBar({ name, share }) {
  return html`
    <div class="chart bars">
      <div class="chart-row">
        <span class="chart-name">${name}</span>
        <svg
          role="img"
          aria-label=${`${name}: ${percent(share)}`}
          viewBox="0 0 100 11"
          height="11"
          preserveAspectRatio="none"
          xmlns="http://www.w3.org/2000/svg"
        >
          <rect class="chart-ground" x="0" y="1" width="100" height="9" />
          <rect class="series-1" x="0" y="1" width=${(100 * share).toFixed(2)} height="9" />
        </svg>
        <span class="chart-values">${percent(share)}</span>
      </div>
    </div>
  `;
}
