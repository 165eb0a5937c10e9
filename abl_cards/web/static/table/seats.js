// Names and positions of seats.
import { t } from '../words.js';

export function seatName(seen, seat) {
  const chair = seen.seats[seat];
  if (seat === seen.me) return t('you');
  return chair.name || (chair.kind === 'person' ? t('openSeat') : t('seat', seat));
}

// All seats in the order of play, from one on.
export function seatsFrom(seat, after) {
  const found = [seat];
  while (found.length < after.length) found.push(after[found.at(-1)]);
  return found;
}

// Where the others sit, from the seat after mine round to the seat before it.
const POSITIONS = { 1: ['top'], 2: ['right', 'left'], 3: ['right', 'top', 'left'] };

export const SIDES = ['right', 'top', 'left', 'bottom'];

export function seatPositions(seen) {
  const round = seatsFrom(seen.me ?? 0, seen.after);
  const others = seen.me == null ? round : round.slice(1);
  const places =
    POSITIONS[others.length] || others.map((_, step) => SIDES[Math.floor((step * SIDES.length) / others.length)]);
  return others.map((seat, step) => ({ seat, place: places[step] }));
}

export function otherNames(seen) {
  const found = [];
  for (let seat = seen.after[seen.me]; found.length < seen.seats.length - 1; seat = seen.after[seat])
    found.push(seen.seats[seat].name || t('seat', seat));
  return found;
}
