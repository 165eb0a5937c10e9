// Text of an event of the log, without marks.
import { cardName } from '../cards/card_text.js';
import { plainText } from '../text/marked_text.js';
import { t } from '../words.js';

export function eventText(names, event) {
  const name = event.seat == null ? '' : names.seat(event.seat);
  const text = (words) => plainText(words, names);
  if (event.kind === 'deal') return t('dealt');
  if (event.kind === 'end') return t('result', event.episode + 1);
  const listCards = (cards) => cards.map((card) => cardName(names.deck, card)).join(t('comma'));
  const cards = listCards(event.cards);
  if (event.kind === 'choice') return t('chose', name, `${text(event.stage)} ${cards || text(event.text)}`);
  if (event.failed) return t('playedInPart', name, text(event.failed.text), listCards(event.failed.cards), cards);
  return t('played', name, event.passed || !cards ? text(event.text) : t('withCards', text(event.text), cards));
}
