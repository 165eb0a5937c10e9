// Component SeatPanel: name, role, number of cards and last choice of another seat.
import { CardBack } from '../cards/card_back.js';
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { localise } from '../settings.js';
import { cardCount, t } from '../words.js';
import { Clock } from './clock.js';
import { seatName } from './seats.js';

export function SeatPanel({ view, welcome, seat, position }) {
  const info = view.seats[seat];
  const isActing = view.turn === seat;
  const choice = info.said;
  const role = localise(info.role);
  return html`
    <section class=${`seat ${position} side${info.side} ${isActing ? 'acts' : ''}`} aria-label=${seatName(view, seat)}>
      <h2 class="who">
        <span class="name">${seatName(view, seat)}</span>
        ${
          role &&
          html`
            ${' '}
            <span class="role">${role}</span>
          `
        }
        ${
          info.kind === 'person' &&
          seat !== view.me &&
          !info.here &&
          html`
            ${' '}
            <span class="away">${t('offline')}</span>
          `
        }
      </h2>
      <p class="held">
        ${info.face ? null : html`<${CardBack} small />`}
        <span class="count">${info.place ? t('place', info.place) : cardCount(info.cards)}</span>
        ${
          isActing &&
          html`
            <span class="thinks">
              ${t('thinking')}
              <${Clock} since=${view.since} />
            </span>
          `
        }
      </p>
      ${info.face && html`<${CardRow} deck=${welcome.deck} cards=${info.face} small />`}
      ${
        seat !== view.me &&
        choice &&
        choice.kind === 'choice' &&
        html`
          <p class="said">
            ${localise(choice.stage)}: ${localise(choice.text)}
          </p>
        `
      }
    </section>
  `;
}
