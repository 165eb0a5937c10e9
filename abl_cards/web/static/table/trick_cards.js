// Component TrickCards: the last play of each seat in the trick.
import { CardRow } from '../cards/card_row.js';
import { cardName } from '../cards/card_text.js';
import { Fragment, html } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { SIDES, seatName, seatPositions } from './seats.js';

export function TrickCards({ view, welcome, trick, faded }) {
  const positions = Object.fromEntries(seatPositions(view).map(({ seat, place: position }) => [seat, position]));
  const lastPlays = {};
  for (const event of trick) lastPlays[event.seat] = event;
  const leads = (event) => event.seat === view.owned && !event.passed;
  return html`
    <${Fragment}>
      ${[...SIDES, 'mine'].map(
        (position) => html`
          <div key=${position} class=${`heap ${position}`}>
            ${Object.values(lastPlays)
              .filter((event) => (positions[event.seat] ?? 'mine') === position)
              .map(
                (event) => html`
                  <div
                    key=${event.number}
                    class=${`lies ${position} ${faded ? 'faded' : ''} ${leads(event) ? 'leads' : ''}`}
                  >
                    ${
                      event.cards.length
                        ? html`
                          <${CardRow}
                            deck=${welcome.deck}
                            cards=${event.cards}
                            wild=${view.orders.wild}
                            label=${seatName(view, event.seat)}
                          />
                        `
                        : null
                    }
                    <span class="what">${localise(event.text)}</span>
                    ${
                      event.failed &&
                      html`
                        <span class="what failed">
                          ${t('failedShort', localise(event.failed.text))}${' '}
                          ${event.failed.back.map((text) => cardName(welcome.deck, text)).join(', ')}
                        </span>
                      `
                    }
                  </div>
                `,
              )}
          </div>
        `,
      )}
    </${Fragment}>
  `;
}
