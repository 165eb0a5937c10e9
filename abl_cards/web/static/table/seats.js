// Names and positions of seats.
import { agentName } from '../text/agent_name.js';
import { t } from '../words.js';
import { countSides } from './layout.js';
import { seatsFrom } from './seat_order.js';

export function seatName(view, seat) {
  const info = view.seats[seat];
  if (seat === view.me) return t('you');
  if (info.kind === 'agent') return agentName(info.name);
  return info.name || (info.kind !== 'person' ? t('seat', seat) : info.taken ? t('guest', seat) : t('openSeat'));
}

// Side and place at this side of each other seat; places count from the left, and from the top.
export function seatPlaces(bottom, nextSeat) {
  const others = seatsFrom(bottom, nextSeat).slice(1);
  const { top, right } = countSides(others.length);
  return others.map((seat, step) => {
    if (step < right) return { seat, side: 'right', place: right - 1 - step };
    if (step < right + top) return { seat, side: 'top', place: right + top - 1 - step };
    return { seat, side: 'left', place: step - right - top };
  });
}

// Relation of another seat to the one at the bottom: partner, next, previous or across.
export function relationOf(seat, bottom, nextSeat, sides) {
  if (seat === bottom) return '';
  const isPartner = sides[seat] === sides[bottom] && sides.filter((side) => side === sides[seat]).length > 1;
  if (isPartner) return 'partner';
  if (nextSeat[bottom] === seat) return nextSeat.length === 2 ? 'opponent' : 'next';
  return nextSeat[seat] === bottom ? 'previous' : '';
}

export const otherNames = (view) =>
  seatsFrom(view.me, view.after)
    .slice(1)
    .map((seat) => seatName(view, seat));
