// Component EstimateLegend: how the matrices of estimates are read.
import { html } from '../html.js';
import { t } from '../words.js';

const SHADES = [0.06, 0.35, 0.65, 1];

export function EstimateLegend({ error, hasTruth }) {
  return html`
    <p class="legend small">
      ${t('beliefLegend')}${' '}
      <svg width="66" height="14" aria-hidden="true">
        ${SHADES.map(
          (opacity, index) => html`
            <rect
              key=${opacity}
              class="belief"
              x=${index * 16}
              y="1"
              width="15"
              height="12"
              style=${{ fillOpacity: opacity }}
            />
          `,
        )}
      </svg>
      ${
        hasTruth &&
        html`
          ${' '}
          <svg width="14" height="14" aria-hidden="true"><circle class="truth" cx="7" cy="7" r="5" /></svg>${' '}
          ${t('truthLegend')}${error == null ? '' : `${t('comma')}${t('errorHere', `${(100 * error).toFixed(0)}%`)}`}
        `
      }
    </p>
  `;
}
