// Component PositionView: a position drawn as a table, with the changes of its legal moves in words.
import { html, useState } from '../html.js';
import { positionOfState } from '../table/position.js';
import { Table } from '../table/table.js';
import { useSize } from '../table/use_size.js';
import { t } from '../words.js';
import { MoveChips } from './move_chips.js';
import { ReasonColumns } from './reason_columns.js';

const STATIC_SIZE = { width: 640, height: 260 };

const changeText = ({ before, after }) => t('labMoves', before, after);

export function PositionView({ view, deck, reasons, explain, close, open, listMoves, isStatic = false }) {
  const [space, measured] = useSize();
  const [showsJson, setShowsJson] = useState(false);
  const [moves, setMoves] = useState(null);
  const size = isStatic ? STATIC_SIZE : measured;
  const problem = [view.before, view.after].find((side) => typeof side === 'string');
  const position = view.drawn && deck ? positionOfState(view.drawn, deck) : null;
  const names = position?.names ?? { deck };
  const toggleAll = async () => setMoves(moves ? null : (await listMoves()).moves);
  return html`
    <div class="table-space" ref=${space}>
      ${
        position &&
        size &&
        html`
          <${Table} position=${position} size=${size} label=${t('cell_position')} trickLabel=${t('trick')} />
        `
      }
    </div>
    <div class="changes">
      ${
        problem
          ? html`
            <p class="problem" title=${problem}>
              ${t('stateRefused')}
            </p>
          `
          : html`
            <p class="small">
              ${changeText(view)}${view.num_gone || view.num_new ? '' : ` · ${t('labSame')}`}
              ${
                !isStatic &&
                html`
                  ${' '}
                  <button type="button" class="quiet" aria-expanded=${Boolean(moves)} onClick=${toggleAll}>
                    ${t('labAll')}
                  </button>
                `
              }
            </p>
            <${MoveChips}
              heading=${t('labGone')}
              kind="lost"
              moves=${view.gone}
              count=${view.num_gone}
              names=${names}
              explain=${explain}
            />
            <${MoveChips}
              heading=${t('labAdded')}
              kind="gained"
              moves=${view.new}
              count=${view.num_new}
              names=${names}
              explain=${explain}
            />
            ${
              moves &&
              html`
                <${MoveChips}
                  heading=${t('labAllNow')}
                  kind="all"
                  moves=${moves}
                  count=${moves.length}
                  names=${names}
                  explain=${explain}
                />
              `
            }
          `
      }
      ${
        reasons &&
        html`
          <${ReasonColumns} reasons=${reasons} names=${names} close=${isStatic ? null : close} open=${open} />
        `
      }
      ${
        !isStatic &&
        html`
          <button
            type="button"
            class="quiet json"
            aria-expanded=${showsJson}
            aria-label=${t('labAsJson')}
            title=${t('labAsJson')}
            onClick=${() => setShowsJson(!showsJson)}
          >
            {}
          </button>
        `
      }
      ${showsJson && html`<pre class="json">${JSON.stringify(view.state)}</pre>`}
    </div>
  `;
}
