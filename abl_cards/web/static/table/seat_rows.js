// Component SeatRows: a row of the result for each seat: points, further scores, and the cards that are left.
import { CardRow } from '../cards/card_row.js';
import { signedInteger } from '../format.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { seatColumns } from './result_text.js';
import { relationOf, seatName } from './seats.js';

export function SeatRows({ view, welcome, result, sides }) {
  const columns = seatColumns(result);
  const relation = (seat) => (view.me == null ? '' : relationOf(seat, view.me, view.after, sides));
  return html`
    <table>
      <thead>
        <tr>
          <th scope="col">${t('seats')}</th>
          <th scope="col">${t('points')}</th>
          ${columns.map(
            ({ name }) => html`
              <th key=${name} scope="col">${name}</th>
            `,
          )}
          <th scope="col">${t('total')}</th>
          <th scope="col">${t('left')}</th>
        </tr>
      </thead>
      <tbody>
        ${view.seats.map(
          (_, seat) => html`
            <tr key=${seat} class=${seat === view.me ? 'me' : relation(seat)}>
              <th scope="row">
                ${seatName(view, seat)}
                ${relation(seat) && html` <span class="relation">${t(`${relation(seat)}Short`)}</span>`}
              </th>
              <td>${signedInteger(result.points[seat])}</td>
              ${columns.map(({ name, values }) => html`<td key=${name}>${values[seat]}</td>`)}
              <td>${signedInteger(result.total[seat])}</td>
              <td><${CardRow} deck=${welcome.deck} cards=${result.hands[seat]} small /></td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}
