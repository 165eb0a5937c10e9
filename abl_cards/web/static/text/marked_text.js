// Texts of the server in which cards, seats and teams are marked: ⟦S5⟧, ⟦@2⟧ and ⟦#1⟧.
import { cardName } from '../cards/card_text.js';
import { localise } from '../settings.js';

const MARK = /⟦([^⟧]*)⟧/;

// Split a text, or a pair of texts, into plain parts and marks.
export function splitMarks(text) {
  return String(localise(text))
    .split(MARK)
    .map((part, index) => {
      if (index % 2 === 0) return { text: part };
      if (/^[@#]\d+$/.test(part)) return { [part[0] === '@' ? 'seat' : 'team']: Number(part.slice(1)) };
      return { card: part };
    })
    .filter((part) => part.text !== '');
}

export const partName = (part, names) =>
  part.card != null
    ? cardName(names.deck, part.card)
    : part.seat != null
      ? names.seat(part.seat)
      : part.team != null
        ? names.team(part.team)
        : part.text;

// Text without marks, for screen readers, titles and attributes.
export const plainText = (text, names) =>
  splitMarks(text)
    .map((part) => partName(part, names))
    .join('');
