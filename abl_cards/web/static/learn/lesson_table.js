// Component LessonTable: a position on a table, as everywhere else.
import { html } from '../html.js';
import { positionOfState } from '../table/position.js';
import { relationOf } from '../table/seats.js';
import { Table } from '../table/table.js';
import { useSize } from '../table/use_size.js';
import { t } from '../words.js';

// The position of a state; seats are named as the player at the bottom sees them.
function lessonPosition({ drawn, counts, context, hidesHand }) {
  const position = positionOfState(drawn, context.deck);
  const { bottom, after } = position;
  const nameOf = (seat) => {
    const relation = relationOf(seat, bottom, after, context.sides);
    return seat === bottom ? t('you') : relation ? t(relation) : t('seat', seat);
  };
  return {
    ...position,
    hand: hidesHand ? null : position.hand,
    seats: position.seats.map((info) => ({
      ...info,
      name: nameOf(info.seat),
      cards: counts[info.seat] ?? null,
    })),
  };
}

export function LessonTable({ block, context, label, hidesHand = false }) {
  const [space, size] = useSize();
  return html`
    <div class="table-space" ref=${space}>
      ${
        size &&
        html`
          <${Table}
            position=${lessonPosition({ ...block, context, hidesHand })}
            size=${size}
            label=${label || t('learnPosition')}
            trickLabel=${t('trick')}
          />
        `
      }
    </div>
  `;
}
