// Component PinnedPosition: legal moves of a position before and after the edits.
import { html } from '../html.js';
import { t } from '../words.js';
import { MoveList } from './move_list.js';
import { stateText } from './move_text.js';

export function PinnedPosition({ pinned, unpin, explain }) {
  const errorText = (side) => (typeof side === 'string' ? side : null);
  const problem = errorText(pinned.before) || errorText(pinned.after);
  return html`
    <li class="pinned">
      <p>
        <code>${stateText(pinned.state)}</code>${' '}
        <button type="button" class="quiet" onClick=${unpin}>
          ${t('labUnpin')}
        </button>
      </p>
      ${
        problem
          ? html`
            <p class="small">${problem}</p>
          `
          : html`
            <p class="small">
              ${t('labMoves', pinned.before.length, pinned.after.length)}
              ${!pinned.gone.length && !pinned.new.length ? ` · ${t('labSame')}` : ''}
            </p>
            <${MoveList}
              heading=${t('labGone')}
              kind="lost"
              moves=${pinned.gone}
              explain=${(move) => explain(pinned.state, move, true)}
            />
            <${MoveList}
              heading=${t('labAdded')}
              kind="gained"
              moves=${pinned.new}
              explain=${(move) => explain(pinned.state, move, false)}
            />
            <details>
              <summary>${t('labAll')}</summary>
              <${MoveList}
                heading=""
                kind=""
                moves=${pinned.after}
                explain=${(move) => explain(pinned.state, move, false)}
              />
            </details>
          `
      }
    </li>
  `;
}
