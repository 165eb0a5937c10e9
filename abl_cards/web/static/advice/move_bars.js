// Component MoveBars: moves with their expected points and intervals as bars on one scale.
import { signedPoints } from '../format.js';
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { LIGHT_SIGNS } from './coach_text.js';

const NUM_SHOWN = 3;
const percent = (share) => `${(100 * share).toFixed(1)}%`;

export function MoveBars({ judged, names, take }) {
  const moves = judged.moves.filter((move, place) => place < NUM_SHOWN || move.made);
  const low = Math.min(0, ...moves.map((move) => move.points - move.half));
  const high = Math.max(0, ...moves.map((move) => move.points + move.half));
  const place = (points) => (points - low) / (high - low || 1);
  const span = (from, to) => ({
    left: percent(place(Math.min(from, to))),
    width: percent(Math.abs(place(to) - place(from))),
  });
  return html`
    <ol class="move-bars" aria-label=${t('comparedMoves')}>
      ${moves.map(
        (move) => html`
          <li key=${JSON.stringify(move.value)} class=${`light-${move.light}`}>
            <p>
              <span class="lamp" role="img" aria-label=${t(`light_${move.light}`)}>${LIGHT_SIGNS[move.light]}</span>
              <span class="move-name"><${Words} text=${move.text} names=${names} /></span>
              ${move.made && html`<span class="mark-made">${t('made')}</span>`}
              ${
                take &&
                html`
                  <button type="button" class="quiet take" onClick=${() => take(move)}>${t('pickThese')}</button>
                `
              }
              <b>${signedPoints(move.points)} ± ${move.half.toFixed(2)}</b>
            </p>
            <span class="track" aria-hidden="true">
              <span class="fill" style=${span(0, move.points)}></span>
              <span class="whisker" style=${span(move.points - move.half, move.points + move.half)}></span>
              <span class="zero" style=${{ left: percent(place(0)) }}></span>
            </span>
          </li>
        `,
      )}
    </ol>
    <p class="small">${t('scale', judged.deals)}</p>
  `;
}
