// Positions: what a table shows, from the view of a player or onlooker, the frame of a record, or a state of the lab.
import { localise } from '../settings.js';
import { t } from '../words.js';
import { relationOf, seatName } from './seats.js';

// Names that the marks of a text stand for.
export function makeNames(deck, nameOfSeat, sides, bottom) {
  const members = (team) => sides.map((side, seat) => (side === team ? seat : -1)).filter((seat) => seat >= 0);
  const team = (number) => {
    const seats = members(number);
    if (seats.length < 2) return nameOfSeat(seats[0] ?? number);
    if (bottom == null) return seats.map(nameOfSeat).join(t('and'));
    return t(sides[bottom] === number ? 'ourSide' : 'theirSide');
  };
  return { deck, seat: nameOfSeat, team };
}

const lastPlays = (trick) => {
  const plays = {};
  for (const event of trick) plays[event.seat] = event;
  return plays;
};

const NO_FACTS = { items: [], badges: [], partners: true, places: true };

// Facts of a position: items of the score, those of our side first; each seat has its badges and its own score.
function shownFacts(shown = NO_FACTS, sides, bottom) {
  const places = shown.items.map((item) => shown.items.findIndex((other) => String(other.name) === String(item.name)));
  const isTheirs = ({ team }) => bottom != null && team != null && team !== sides[bottom];
  const order = shown.items.map((_, index) => index);
  order.sort((a, b) => places[a] - places[b] || isTheirs(shown.items[a]) - isTheirs(shown.items[b]) || a - b);
  const ofSeats = (item) => item.kind === 'bar' && item.seat != null;
  return {
    items: order.map((index) => shown.items[index]).filter((item) => !ofSeats(item) || item.seat === bottom),
    hasPartners: shown.partners,
    hasPlaces: shown.places,
    hasScore: shown.items.some(({ kind }) => kind === 'bar' || kind === 'level'),
    ofSeat: (seat) => ({
      badges: shown.badges[seat] ?? [],
      score: shown.items.find((item) => ofSeats(item) && item.seat === seat) ?? null,
    }),
  };
}

// Sides by which seats are partners: each seat is one of its own where the game has no partners.
const partnerSides = (facts, sides) => (facts.hasPartners ? sides : sides.map((_, seat) => seat));

const seatInfo = (seat, bottom, after, sides, info) => ({
  seat,
  side: sides[seat],
  relation: bottom == null ? '' : relationOf(seat, bottom, after, sides),
  isAlly: bottom != null && sides[seat] === sides[bottom] && sides.filter((side) => side === sides[seat]).length > 1,
  badges: [],
  score: null,
  place: null,
  total: null,
  isAway: false,
  isActing: false,
  since: null,
  face: null,
  said: null,
  ...info,
});

// The table of a player or onlooker; `isLast` shows the last trick.
export function positionOfView(view, welcome, isLast = false) {
  const bottom = view.me;
  const sides = view.seats.map((info) => info.side);
  const facts = shownFacts(view.shown, sides, bottom);
  const trick = isLast ? view.last : (view.ended?.trick ?? view.trick);
  const said = (info) => (view.phase === 'choice' && info.said?.kind === 'choice' ? info.said : null);
  return {
    deck: welcome.deck,
    names: makeNames(welcome.deck, (seat) => seatName(view, seat), sides, bottom),
    bottom: bottom ?? 0,
    hasOwn: bottom != null,
    after: view.after,
    title: localise(welcome.title),
    wild: view.orders.wild,
    items: facts.items,
    aside: view.aside - view.stock,
    stock: view.stock,
    plays: lastPlays(trick),
    owner: view.owned,
    isFaded: isLast || (view.closed && view.phase === 'play'),
    hand: null,
    seats: view.seats.map((info, seat) =>
      seatInfo(seat, bottom, view.after, partnerSides(facts, sides), {
        name: seatName(view, seat),
        side: sides[seat],
        ...facts.ofSeat(seat),
        cards: info.cards,
        place: facts.hasPlaces && !info.cards ? info.place : null,
        total: info.total || !facts.hasScore ? info.total : null,
        isAway: info.kind === 'person' && seat !== bottom && !info.here,
        isActing: view.turn === seat,
        since: view.since,
        face: info.face ?? null,
        said: said(info),
      }),
    ),
  };
}

// The frame of a record, seen from a seat; `isOpen` shows the hands of all. A frame without an act is to be decided.
export function positionOfFrame(review, frame, bottom, isOpen, nameOfSeat) {
  const { act, trick } = frame;
  const isPlay = act?.kind === 'play';
  const lastOwner = trick.findLast((event) => !event.passed)?.seat;
  const facts = shownFacts(frame.shown, frame.side, bottom);
  return {
    deck: review.deck,
    names: makeNames(review.deck, nameOfSeat, frame.side, bottom),
    bottom,
    hasOwn: false,
    after: review.after,
    title: localise(review.title),
    wild: frame.wild,
    items: facts.items,
    aside: 0,
    stock: 0,
    plays: lastPlays([...trick, ...(isPlay ? [{ ...act, isNow: true }] : [])]),
    owner: isPlay && !act.passed ? act.seat : lastOwner,
    isFaded: false,
    hand: isOpen || frame.seat === bottom ? frame.hands[bottom] : null,
    marked: frame.seat === bottom ? (act?.cards ?? []) : [],
    seats: frame.hands.map((hand, seat) =>
      seatInfo(seat, bottom, review.after, partnerSides(facts, frame.side), {
        name: nameOfSeat(seat),
        side: frame.side[seat],
        ...facts.ofSeat(seat),
        cards: hand.length,
        isActing: frame.seat === seat,
        face: isOpen || frame.seat === seat ? hand : null,
        marked: frame.seat === seat ? (act?.cards ?? []) : [],
        said: act?.kind === 'choice' && frame.seat === seat ? act : null,
      }),
    ),
  };
}

// A state of the lab: the hand of the seat to act, and what lies on the table.
export function positionOfState(drawn, deck) {
  const { after, seat: bottom } = drawn;
  const sides = after.map((_, seat) => seat);
  const nameOfSeat = (seat) => t('seat', seat);
  const facts = shownFacts(drawn.shown, sides, bottom);
  return {
    deck,
    names: makeNames(deck, nameOfSeat, sides, null),
    bottom,
    hasOwn: false,
    after,
    title: '',
    wild: drawn.wild,
    items: facts.items,
    aside: 0,
    stock: 0,
    plays: lastPlays(drawn.plays),
    owner: drawn.plays.length === 1 ? drawn.plays[0].seat : null,
    isFaded: false,
    hand: drawn.hand,
    seats: after.map((_, seat) =>
      seatInfo(seat, null, after, sides, {
        name: nameOfSeat(seat),
        ...facts.ofSeat(seat),
        cards: seat === bottom ? drawn.hand.length : null,
        isActing: seat === bottom,
      }),
    ),
  };
}
