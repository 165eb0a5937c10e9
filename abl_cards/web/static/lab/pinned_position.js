// Component PinnedPosition: legal moves of a position before and after the edits.
import { html } from '../html.js';
import { positionOfState } from '../table/position.js';
import { Table } from '../table/table.js';
import { useSize } from '../table/use_size.js';
import { t } from '../words.js';
import { MoveList } from './move_list.js';
import { stateText } from './move_text.js';

export function PinnedPosition({ pinned, deck, unpin, explain }) {
  const [space, size] = useSize();
  const errorText = (side) => (typeof side === 'string' ? side : null);
  const problem = errorText(pinned.before) || errorText(pinned.after);
  return html`
    <li class="pinned">
      <div class="table-space" ref=${space}>
        ${
          pinned.drawn &&
          deck &&
          size &&
          html`
            <${Table}
              position=${positionOfState(pinned.drawn, deck)}
              size=${size}
              label=${stateText(pinned.state)}
              trickLabel=${t('trick')}
            />
          `
        }
      </div>
      <details>
        <summary>${t('labAsJson')}</summary>
        <code>${stateText(pinned.state)}</code>
      </details>
      <button type="button" class="quiet" onClick=${unpin}>
        ${t('labUnpin')}
      </button>
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
