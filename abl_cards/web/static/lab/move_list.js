// Component MoveList: moves as buttons that show their explanation.
import { html } from '../html.js';
import { moveText } from './move_text.js';

export function MoveList({ heading, kind, moves, explain }) {
  if (!moves.length) return null;
  return html`
    <p class=${`moves ${kind}`}>
      <b>${heading}</b>${' '}
      ${moves.map(
        (move, index) => html`
          <button key=${index} type="button" class="quiet" onClick=${() => explain(move)}>
            ${moveText(move)}
          </button>
        `,
      )}
    </p>
  `;
}
