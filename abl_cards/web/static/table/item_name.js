// Name of a fact of the score, with the side or the seat that it belongs to.
import { localise } from '../settings.js';
import { t } from '../words.js';

export function itemName({ name, team, seat }, names) {
  const owner = team != null ? names.team(team) : seat != null ? names.seat(seat) : '';
  return owner ? t('ofOwner', owner, localise(name)) : localise(name);
}
