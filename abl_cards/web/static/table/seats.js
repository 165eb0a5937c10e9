// Names and positions of seats.
import { t } from '../words.js';

export function seatName(view, seat) {
  const info = view.seats[seat];
  if (seat === view.me) return t('you');
  return info.name || (info.kind !== 'person' ? t('seat', seat) : info.taken ? t('guest', seat) : t('openSeat'));
}

// List all seats in the order of play, beginning with `seat`.
export function seatsFrom(seat, nextSeat) {
  const seats = [seat];
  while (seats.length < nextSeat.length) seats.push(nextSeat[seats.at(-1)]);
  return seats;
}

// Sides of the table for the other seats, in the order of play.
const POSITIONS = { 1: ['top'], 2: ['right', 'left'], 3: ['right', 'top', 'left'] };

export const SIDES = ['right', 'top', 'left', 'bottom'];

export function seatPositions(view) {
  const order = seatsFrom(view.me ?? 0, view.after);
  const others = view.me == null ? order : order.slice(1);
  const positions =
    POSITIONS[others.length] || others.map((_, step) => SIDES[Math.floor((step * SIDES.length) / others.length)]);
  return others.map((seat, step) => ({ seat, place: positions[step] }));
}

export function otherNames(view) {
  const names = [];
  for (let seat = view.after[view.me]; names.length < view.seats.length - 1; seat = view.after[seat])
    names.push(seatName(view, seat));
  return names;
}
