// Order of the cards of a hand, and the places where a group begins.
import { face } from '../cards/card_text.js';

const ORDERS = ['rank', 'suit', 'groups'];

// Order of a hand: that chosen by the user for the game, else the usual one of the game.
export const orderOf = (settings, game, orders) => settings.orders[game] ?? orders.usual ?? 'rank';

// The order that follows; a deck without suits is not ordered by suit.
export function nextOrder(settings, game, orders) {
  const hasSuits = String(orders.suit) !== String(orders.rank);
  const offered = ORDERS.filter((order) => hasSuits || order !== 'suit');
  return offered[(offered.indexOf(orderOf(settings, game, orders)) + 1) % offered.length];
}

// Orders by game after the user takes the next one.
export const nextOrders = (settings, game, orders) => ({
  ...settings.orders,
  [game]: nextOrder(settings, game, orders),
});

export const rankOf = (deck, text) => face(deck, text).rank;

// Give each card of a hand a unique key, because decks may hold copies.
function withKeys(hand) {
  const counts = {};
  return hand.map((text) => ({ text, key: `${text}#${(counts[text] = (counts[text] || 0) + 1)}` }));
}

// Return the cards with keys in an order, and the places in front of which there is a gap.
export function arrangeHand(hand, orders, order, groups) {
  if (order === 'groups' && groups) {
    const gaps = [];
    let place = 0;
    for (const group of groups.slice(0, -1)) gaps.push((place += group.length));
    return { cards: withKeys(groups.flat()), gaps };
  }
  const place = new Map((orders[order] || orders.rank).map((text, index) => [text, index]));
  return { cards: withKeys([...hand].sort((a, b) => place.get(a) - place.get(b))), gaps: [] };
}
