// Names, ranks and suits of cards as text.
import { localise } from '../settings.js';

const SUITS = { S: 's', H: 'h', D: 'd', C: 'c' };

export function face(deck, text) {
  return deck[text] || { rank: text, suit: '', symbol: '', name: [text, text] };
}

export const cardName = (deck, text) => localise(face(deck, text).name);

export const rankText = (rank) => (rank === 'T' ? '10' : rank);

export const suitClass = (card) => SUITS[card.suit] || (card.suit ? 'other' : 'none');
