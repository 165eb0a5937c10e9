// Component TrickCards: the last play of each seat in the trick.
import { CardRow } from '../cards/card_row.js';
import { Fragment, html } from '../html.js';
import { say } from '../settings.js';
import { SIDES, seatName, seatPositions } from './seats.js';

export function TrickCards({ seen, welcome, trick, faded }) {
  const where = Object.fromEntries(seatPositions(seen).map(({ seat, place }) => [seat, place]));
  const last = {};
  for (const act of trick) last[act.seat] = act;
  const leads = (act) => act.seat === seen.owned && !act.passed;
  return html`
    <${Fragment}>
      ${[...SIDES, 'mine'].map(
        (place) => html`
          <div key=${place} class=${`heap ${place}`}>
            ${Object.values(last)
              .filter((act) => (where[act.seat] ?? 'mine') === place)
              .map(
                (act) => html`
                  <div key=${act.number} class=${`lies ${place} ${faded ? 'faded' : ''} ${leads(act) ? 'leads' : ''}`}>
                    ${
                      act.cards.length
                        ? html`
                          <${CardRow}
                            deck=${welcome.deck}
                            cards=${act.cards}
                            wild=${seen.orders.wild}
                            label=${seatName(seen, act.seat)}
                          />
                        `
                        : null
                    }
                    <span class="what">${say(act.text)}</span>
                  </div>
                `,
              )}
          </div>
        `,
      )}
    </${Fragment}>
  `;
}
