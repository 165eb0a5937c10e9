// Places of cards in a matrix of ranks by suits; cards with a name of their own stand in columns of their own.
export function makeGrid(deck) {
  const cards = Object.entries(deck);
  const plain = cards.filter(([, card]) => !card.isNamed);
  const ranks = [...new Set(plain.map(([, card]) => card.rank))];
  const suits = [...new Set(plain.map(([, card]) => card.suit))];
  const symbols = suits.map((suit) => plain.find(([, card]) => card.suit === suit)[1].symbol);
  const places = new Map(plain.map(([text, card]) => [text, [ranks.indexOf(card.rank), suits.indexOf(card.suit)]]));
  const rows = Math.max(1, suits.length);
  const named = cards.filter(([, card]) => card.isNamed);
  named.forEach(([text], index) => places.set(text, [ranks.length + Math.floor(index / rows), index % rows]));
  return { ranks, suits, symbols, places, columns: ranks.length + Math.ceil(named.length / rows), rows };
}

// Opacity of a cell by the expected copies: never invisible, so that the matrix keeps its shape.
export const cellOpacity = (copies, most) => Math.max(0.06, Math.min(1, copies / Math.max(1, most)));
