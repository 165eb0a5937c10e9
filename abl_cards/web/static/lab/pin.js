// Positions that are pinned to the rules notebook from a table or a review of this tab; the notebook takes them up.
import { announce } from '../announce.js';
import { t } from '../words.js';
import './pin_words.js';

const KEY = 'lab-pins';
const MAX_PINS = 24;

function readPins() {
  try {
    const pins = JSON.parse(sessionStorage.getItem(KEY) || '[]');
    return Array.isArray(pins) ? pins.filter((pin) => pin?.game && pin.state && typeof pin.state === 'object') : [];
  } catch {
    return [];
  }
}

// Pin a state in JSON form of a game; returns the number of pinned positions that wait for the notebook.
export function pinToLab(state, game, profile = '') {
  const text = JSON.stringify(state);
  const others = readPins().filter((pin) => pin.game !== game || JSON.stringify(pin.state) !== text);
  const pins = [...others, { game, profile, state }].slice(-MAX_PINS);
  sessionStorage.setItem(KEY, JSON.stringify(pins));
  announce(t('pinDone'));
  return pins.length;
}

// The game of the last pin, or null.
export const pinnedGame = () => readPins().at(-1) ?? null;

// Take the pins of a game, and leave those of others.
export function takePins(isOfGame) {
  const pins = readPins();
  sessionStorage.setItem(KEY, JSON.stringify(pins.filter((pin) => !isOfGame(pin.game))));
  return pins.filter((pin) => isOfGame(pin.game));
}
