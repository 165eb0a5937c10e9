// Names, ranks and suits of cards as text.
import { localise } from '../settings.js';

const SUITS = { S: 's', H: 'h', D: 'd', C: 'c' };

export function face(deck, text) {
  return deck[text] || { rank: text, suit: '', symbol: '', name: [text, text], isNamed: false };
}

export const cardName = (deck, text) => localise(face(deck, text).name);

export const rankText = (rank) => (rank === 'T' ? '10' : rank);

// A card in a line of text: its name, or suit and rank.
export function cardSign(deck, text) {
  const card = face(deck, text);
  return card.isNamed ? cardName(deck, text) : `${card.symbol}${rankText(card.rank)}`;
}

// Rank in a narrow column; in Chinese, the first character of a card with a name of its own.
export const shortRank = (card) =>
  card.isNamed ? localise([card.rank, card.name[1].slice(0, 1)]) : rankText(card.rank);

// Class of the colour: that of the suit; of cards without a suit, the strongest with a name of its own is red.
export const suitClass = (card) =>
  SUITS[card.suit] || (card.suit ? 'other' : card.isNamed ? (card.isTop ? 'joker top' : 'joker') : 'none');
