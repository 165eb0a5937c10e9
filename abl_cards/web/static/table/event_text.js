// Text of an event of the log.
import { cardName } from '../cards/card_text.js';
import { say } from '../settings.js';
import { t } from '../words.js';
import { seatName } from './seats.js';

export function eventText(seen, welcome, event) {
  const who = event.seat == null ? '' : seatName(seen, event.seat);
  if (event.kind === 'deal') return t('dealt');
  if (event.kind === 'end') return t('result', event.episode + 1);
  const names = event.cards.map((text) => cardName(welcome.deck, text)).join(', ');
  if (event.kind === 'choice') return t('chose', who, `${say(event.stage)} ${names || say(event.text)}`);
  return t('played', who, event.passed ? say(event.text) : `${say(event.text)}${names ? ` (${names})` : ''}`);
}
