// Names and values of the facts of a position, as plain text.
import { localise } from '../settings.js';
import { plainText } from '../text/marked_text.js';
import { t } from '../words.js';

// Name of a fact, with the side or the seat that it belongs to.
export function itemName({ name, team, seat }, names) {
  const owner = team != null ? names.team(team) : seat != null ? names.seat(seat) : '';
  return owner ? t('ofOwner', owner, localise(name)) : localise(name);
}

// Value of a fact: a score and its target, cards, or a text.
export function itemValue(item, names) {
  if (item.kind === 'cards') return plainText(item.cards.map((text) => `⟦${text}⟧`).join(' '), names);
  if (item.kind !== 'bar') return plainText(item.text, names);
  return item.target == null ? String(item.value) : t('outOf', item.value, item.target);
}

// Text of a badge of a seat.
export const badgeText = ({ name, text }, names) => `${localise(name)} ${plainText(text, names)}`.trim();
