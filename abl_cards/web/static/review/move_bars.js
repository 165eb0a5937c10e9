// Component MoveBars: the moves that were tried, on one scale of points, with their 95 % intervals.
import { fixedText, signedFixed } from '../format.js';
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { Z_95 } from './timeline_scale.js';

const WIDTH = 100;
const PAD = 6;

// Ends of the intervals of all moves.
function barRange(moves) {
  const ends = moves.flatMap(({ points, error }) => [points - Z_95 * (error ?? 0), points + Z_95 * (error ?? 0)]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  return high - low < 0.2 ? [low - 0.1, high + 0.1] : [low, high];
}

export function MoveBars({ moves, names, actual, unit }) {
  const [low, high] = barRange(moves);
  const x = (value) => PAD + ((WIDTH - 2 * PAD) * (value - low)) / (high - low);
  const isActual = (move) => actual != null && move.row === actual;
  return html`
    <table class="bars" aria-label=${unit}>
      <thead>
        <tr>
          <th scope="col">${t('move')}</th>
          <th scope="col" colspan="2">${unit}</th>
        </tr>
      </thead>
      <tbody>
        ${moves.map((move) => {
          const half = Z_95 * (move.error ?? 0);
          return html`
            <tr key=${move.row} class=${move.made ? 'is-made' : ''}>
              <th scope="row">
                <${Words} text=${move.text} names=${names} />
                ${move.made && html`<span class="small"> ${t('playedHere')}</span>`}
                ${!move.made && isActual(move) && html`<span class="small"> ${t('inTheGame')}</span>`}
              </th>
              <td class="bar-cell">
                <svg viewBox=${`0 0 ${WIDTH} 16`} aria-hidden="true" preserveAspectRatio="none">
                  ${low < 0 && high > 0 && html`<line class="zero" x1=${x(0)} x2=${x(0)} y1="0" y2="16" />`}
                  <line class="whisker" x1=${x(move.points - half)} x2=${x(move.points + half)} y1="8" y2="8" />
                  <rect class="dot" x=${x(move.points) - 3} y="4" width="6" height="8" rx="3" />
                </svg>
              </td>
              <td class="value">${signedFixed(move.points)} ± ${fixedText(half, 2)}</td>
            </tr>
          `;
        })}
      </tbody>
    </table>
  `;
}
