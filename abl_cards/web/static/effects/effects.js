// Effects of a change of the table: cards fly from hand or seat to the pile, strong plays shake, sounds, vibration.
import { seatPlaces } from '../table/seats.js';
import { sounds } from './sound.js';

const FLIGHT_MS = 180;
const SHAKE_MS = 320;
const isStill = matchMedia('(prefers-reduced-motion: reduce)');

// Places of the cards of the hand by their texts, and of the seats, before a change.
export function measure(root) {
  const hand = {};
  for (const card of root.querySelectorAll('.hand .card')) {
    const rect = card.querySelector('.face').getBoundingClientRect();
    (hand[card.dataset.card] ??= []).push(rect);
  }
  return { hand, seats: [...root.querySelectorAll('.seat')].map((seat) => seat.getBoundingClientRect()) };
}

// Let one card fly from a place to where it lies.
function fly(face, from, isSized) {
  const to = face.getBoundingClientRect();
  const scale = isSized ? from.width / Math.max(1, to.width) : 0.6;
  const x = from.left + from.width / 2 - (to.left + to.width / 2);
  const y = from.top + from.height / 2 - (to.top + to.height / 2);
  const start = `translate(${x}px, ${y}px) scale(${scale})`;
  face.animate([{ transform: start }, { transform: 'none' }], { duration: FLIGHT_MS, easing: 'ease-out' });
}

function flyAll(root, view, event, before) {
  const pile = root.querySelector(`.lies[data-number='${event.number}']`);
  if (!pile) return;
  const others = seatPlaces(view.me ?? 0, view.after);
  const seat = before.seats[others.findIndex((place) => place.seat === event.seat)];
  const left = Object.fromEntries(Object.entries(before.hand).map(([text, rects]) => [text, [...rects]]));
  [...pile.querySelectorAll('.face')].forEach((face, index) => {
    const own = event.seat === view.me ? left[event.cards[index]]?.shift() : null;
    const from = own ?? seat;
    if (from) fly(face, from, Boolean(own));
  });
}

// The rows shake, not what holds them: a transform would give their piles another origin.
function shake(root) {
  const steps = [0, -5, 4, -3, 2, 0].map((x) => ({ transform: `translate(${x}px, ${Math.abs(x) / 2}px)` }));
  for (const row of root.querySelectorAll('.trick .row'))
    row.animate(steps, { duration: SHAKE_MS, easing: 'ease-out' });
}

// A page that was never touched may neither sound nor vibrate.
const mayVibrate = () => navigator.vibrate && navigator.userActivation?.hasBeenActive !== false;

export function showChange(root, old, view, before, { sound }) {
  const last = old.log.at(-1)?.number ?? 0;
  const events = view.log.filter((event) => event.number > last);
  const plays = events.filter((event) => event.kind === 'play');
  const isStrong = plays.some((event) => event.strong);
  if (!isStill.matches && before && !document.hidden) {
    for (const event of plays) flyAll(root, view, event, before);
    if (isStrong) shake(root);
  }
  if (!sound) return;
  const play = sounds();
  if (!play) return;
  if (events.some((event) => event.kind === 'deal')) play('deal');
  if (isStrong) play('strong');
  else if (plays.some((event) => event.cards.length)) play('card');
  else if (plays.length || events.some((event) => event.kind === 'choice')) play('pass');
  if (view.ended && !old.ended) play(view.me != null && view.ended.points[view.me] > 0 ? 'won' : 'ended');
  else if (view.asked && !old.asked) play('turn');
  if (!mayVibrate()) return;
  if (isStrong) navigator.vibrate([20, 40, 30]);
  else if (view.asked && !old.asked) navigator.vibrate(15);
}
