// Title of a game of match results: the last part of its path.
import { t } from '../words.js';

export const gameTitle = (game) => game.split('/').pop() || t('unknownGame');
