// Component ScoreBar: a score as a number and as a bar with its target.
import { html } from '../html.js';
import { t } from '../words.js';

export function ScoreBar({ item, name }) {
  const { value, low, high, target } = item;
  const place = (number) => (100 * (Math.min(high, Math.max(low, number)) - low)) / (high - low);
  return html`
    <span
      class="score"
      role="meter"
      aria-label=${name}
      aria-valuemin=${low}
      aria-valuemax=${high}
      aria-valuenow=${value}
    >
      ${t('outOf', value, target)}
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="8" class="track" />
        <rect width=${place(value)} height="8" class=${value >= target ? 'reached' : 'filled'} />
        <rect x=${Math.min(97, place(target))} width="3" height="8" class="target" />
      </svg>
    </span>
  `;
}
