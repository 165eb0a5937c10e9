// Text of an event of the log.
import { cardName } from '../cards/card_text.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { seatName } from './seats.js';

export function eventText(view, welcome, event) {
  const name = event.seat == null ? '' : seatName(view, event.seat);
  if (event.kind === 'deal') return t('dealt');
  if (event.kind === 'end') return t('result', event.episode + 1);
  const listCards = (cards) => cards.map((text) => cardName(welcome.deck, text)).join(', ');
  const names = listCards(event.cards);
  if (event.kind === 'choice') return t('chose', name, `${localise(event.stage)} ${names || localise(event.text)}`);
  if (event.failed) return t('playedInPart', name, localise(event.failed.text), listCards(event.failed.cards), names);
  return t(
    'played',
    name,
    event.passed ? localise(event.text) : `${localise(event.text)}${names ? ` (${names})` : ''}`,
  );
}
