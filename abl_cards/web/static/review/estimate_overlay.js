// Component EstimateOverlay: the matrices of an estimate at the seats of a table, in the place of their cards.
import { html } from '../html.js';
import { placeStyle } from '../table/place_style.js';
import { seatPlaces } from '../table/seats.js';
import { EstimateMatrix } from './estimate_matrix.js';
import { othersOf } from './lines.js';

export function EstimateOverlay({ layout, position, estimate, actor, hasTruth }) {
  const order = othersOf(actor, position.after);
  return seatPlaces(position.bottom, position.after).map(({ seat, side, place }) => {
    const index = order.indexOf(seat);
    if (index < 0) return null;
    const rect = layout.seats[side][place];
    const [width, height] = [rect.w - 12, rect.h - layout.head - 4];
    if (height < 30) return null;
    return html`
      <div
        key=${seat}
        class="estimate-at"
        style=${placeStyle({ x: rect.x + 6, y: rect.y + layout.head, w: width, h: height })}
      >
        <${EstimateMatrix}
          deck=${position.deck}
          estimate=${estimate}
          seat=${index}
          name=${position.seats[seat].name}
          width=${width}
          height=${height}
          hasTruth=${hasTruth}
        />
      </div>
    `;
  });
}
