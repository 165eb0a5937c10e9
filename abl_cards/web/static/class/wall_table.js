// Component WallTable: one table on the wall of a class, as a picture or a line.
import { html } from '../html.js';
import { dealNumber } from '../own_tables.js';
import { positionOfView } from '../table/position.js';
import { Clock } from '../table/clock.js';
import { Thumbnail } from '../table/thumbnail.js';
import { t } from '../words.js';

const WIDTH = 320;

function openPosition(view, welcome) {
  const position = positionOfView(view, welcome);
  return { ...position, hand: view.seats[position.bottom].face ?? null };
}

function standingOf({ state, view }, seatName) {
  if (state !== 'open' || !view) return t(state === 'gone' ? 'tableGone' : 'tableAsleep');
  if (view.phase === 'over') return t('stands_over');
  if (view.phase === 'end') return t('stands_end');
  return t('turnOf', seatName(view, view.turn));
}

export function WallTable({ entry, welcome, isCompact, seatName }) {
  const { view, pupils } = entry;
  const isPupils = view?.turn != null && view.seats[view.turn].kind === 'person';
  const deal = view ? t('episode', dealNumber(view)) : '';
  return html`
    <li class=${`wall-table ${isPupils ? 'waits' : ''}`}>
      <a href=${`#/play/${entry.table}/${entry.token}`}>
        ${
          !isCompact &&
          html`
            <span class="picture">
              ${
                view &&
                welcome &&
                html`
                  <${Thumbnail} position=${openPosition(view, welcome)} width=${WIDTH} isOpen />
                `
              }
            </span>
          `
        }
        <b>${pupils.join(t('comma'))}</b>
        <span class="small">${deal}</span>
        <span class="turn-of">
          ${standingOf(entry, seatName)}${isPupils ? html`<${Clock} since=${view.since} />` : ''}
        </span>
      </a>
    </li>
  `;
}
