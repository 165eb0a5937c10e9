// Lines of a document about the whole notebook, and about the options of a cell.
import { t } from '../words.js';

export const aboutText = ({ game, profile, version }) =>
  [t('appendixGame', game), profile && t('labProfile', profile), t('textVersion', version)].filter(Boolean).join(' · ');

const SHOWN = ['edits', 'games', 'seed', 'player'];

export const optionText = ({ options, time }) =>
  [
    ...SHOWN.filter((name) => name in options).map((name) => `${t(`option_${name}`)} ${options[name]}`),
    time ? time.slice(0, 16).replace('T', ' ') : '',
  ]
    .filter(Boolean)
    .join(' · ');
