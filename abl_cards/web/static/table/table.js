// Component Table: a position at a size. It is the only way in which cards on a table are shown.
// The parts of a player (hand, message, actions, …) are functions that get the layout.
import { CardFan } from '../cards/card_fan.js';
import { Fragment, html } from '../html.js';
import { Hud } from './hud.js';
import { countSides, layOutTable } from './layout.js';
import { Pile } from './pile.js';
import { pixels, placeStyle } from './place_style.js';
import { SeatPanel } from './seat_panel.js';
import { seatPlaces } from './seats.js';

export function Table({
  position,
  size,
  label,
  trickLabel,
  isOpen = false,
  hasControls = false,
  parts = {},
  facts = {},
}) {
  const others = seatPlaces(position.bottom, position.after);
  const layout = layOutTable(size, countSides(others.length), { hasControls, hasTools: Boolean(parts.tools), isOpen });
  const own = position.seats[position.bottom];
  return html`
    <div
      class=${`felt ${layout.form} seats${position.seats.length}`}
      aria-label=${label}
      role="group"
      style=${pixels({ width: size.width, height: size.height, '--card': layout.card })}
      ...${facts}
    >
      <${Hud} position=${position} rect=${layout.hud} />
      ${parts.tools?.(layout)}
      ${others.map(
        ({ seat, side, place }) => html`
          <${SeatPanel}
            key=${seat}
            position=${position}
            info=${position.seats[seat]}
            rect=${layout.seats[side][place]}
            side=${side}
            head=${layout.head}
          />
        `,
      )}
      <${SeatPanel} position=${position} info=${own} rect=${layout.own} side="mine" isOwn />
      <section class="trick" aria-label=${trickLabel}>
        ${others.map(
          ({ seat, side, place }) => html`
            <${Pile}
              key=${seat}
              position=${position}
              seat=${seat}
              rect=${layout.piles[side][place]}
              side=${side}
              card=${layout.pile}
            />
          `,
        )}
        <${Pile}
          position=${position}
          seat=${position.bottom}
          rect=${layout.piles.mine[0]}
          side="mine"
          card=${layout.pile}
        />
      </section>
      ${
        position.hand?.length > 0 &&
        html`
          <div class="shown-hand" style=${placeStyle(layout.hand)}>
            <${CardFan}
              deck=${position.deck}
              cards=${position.hand}
              wild=${position.wild}
              label=${own.name}
              width=${layout.hand.w}
              height=${layout.hand.h}
              card=${layout.card}
              marked=${position.marked ?? []}
            />
          </div>
        `
      }
      <${Fragment}>${parts.own?.(layout)}</${Fragment}>
      ${parts.sheet?.(layout)}
    </div>
  `;
}
