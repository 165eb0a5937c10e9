// Lines of a review: the frames of the record or of a variation, and their tricks.
import { seatsFrom } from '../table/seat_order.js';

export const branchOf = (review, line) => (line == null ? null : (review.branches[line] ?? null));

// Frames of the record, or of a variation from the beginning of the record on.
export function framesOf(review, line) {
  const branch = branchOf(review, line);
  return branch ? [...review.pictures.slice(0, branch.start), ...branch.pictures] : review.pictures;
}

export const resultOf = (review, line) => (branchOf(review, line) ?? review).ended;

// Number of the trick of each frame, from 1; 0 before the first play.
export function trickNumbers(frames) {
  let trick = 0;
  return frames.map((frame) => {
    if (frame.plays && !frame.trick.length) trick += 1;
    return trick;
  });
}

// The tricks of a line: number, first index, and the indices of their frames.
export function groupTricks(frames) {
  const groups = [];
  trickNumbers(frames).forEach((trick, index) => {
    if (groups.at(-1)?.trick !== trick) groups.push({ trick, start: index, indices: [] });
    groups.at(-1).indices.push(index);
  });
  return groups;
}

// Seats on the side of a seat, by the sides at the end of the record.
export function seatsOfSide(review, seat) {
  const sides = review.pictures.at(-1).side;
  return sides.map((side, index) => (side === sides[seat] ? index : -1)).filter((index) => index >= 0);
}

// Points of each seat above the mean of all seats.
export function relativePoints(points) {
  const mean = points.reduce((sum, value) => sum + value, 0) / points.length;
  return points.map((value) => value - mean);
}

// Seats of an act in the order of play after its seat: the order of estimates.
export const othersOf = (seat, after) => seatsFrom(seat, after).slice(1);
