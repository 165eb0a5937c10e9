// Component SeatPanel: name, role, number of cards and last choice of another seat.
import { CardBack } from '../cards/card_back.js';
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { say } from '../settings.js';
import { count, t } from '../words.js';
import { Clock } from './clock.js';
import { seatName } from './seats.js';

export function SeatPanel({ seen, welcome, seat, place }) {
  const chair = seen.seats[seat];
  const acts = seen.turn === seat;
  const said = chair.said;
  const role = say(chair.role);
  return html`
    <section class=${`seat ${place} side${chair.side} ${acts ? 'acts' : ''}`} aria-label=${seatName(seen, seat)}>
      <h2 class="who">
        <span class="name">${seatName(seen, seat)}</span>
        ${
          role &&
          html`
            ${' '}
            <span class="role">${role}</span>
          `
        }
        ${
          chair.kind === 'person' &&
          seat !== seen.me &&
          !chair.here &&
          html`
            ${' '}
            <span class="away">${t('offline')}</span>
          `
        }
      </h2>
      <p class="held">
        ${chair.face ? null : html`<${CardBack} small />`}
        <span class="count">${chair.place ? t('place', chair.place) : count(chair.cards)}</span>
        ${
          acts &&
          html`
            <span class="thinks">
              ${t('thinking')}
              <${Clock} since=${seen.since} />
            </span>
          `
        }
      </p>
      ${chair.face && html`<${CardRow} deck=${welcome.deck} cards=${chair.face} small />`}
      ${
        seat !== seen.me &&
        said &&
        said.kind === 'choice' &&
        html`
          <p class="said">
            ${say(said.stage)}: ${say(said.text)}
          </p>
        `
      }
    </section>
  `;
}
