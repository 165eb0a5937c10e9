// Component MoveList: moves as buttons that show their explanation.
import { html } from '../html.js';
import { moveText } from './move_text.js';

export function MoveList({ heading, kind, moves, why }) {
  if (!moves.length) return null;
  return html`
    <p class=${`moves ${kind}`}>
      <b>${heading}</b>${' '}
      ${moves.map(
        (move, place) => html`
          <button key=${place} type="button" class="quiet" onClick=${() => why(move)}>
            ${moveText(move)}
          </button>
        `,
      )}
    </p>
  `;
}
