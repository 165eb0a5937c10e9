// Order of the seats.

// List all seats in the order of play, beginning with `seat`.
export function seatsFrom(seat, nextSeat) {
  const seats = [seat];
  while (seats.length < nextSeat.length) seats.push(nextSeat[seats.at(-1)]);
  return seats;
}
