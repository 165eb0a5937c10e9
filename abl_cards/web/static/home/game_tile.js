// Component GameTile: a game with three of its cards, its number of players, and what can be done with it.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { TileCards } from './tile_cards.js';

export function GameTile({ game }) {
  const title = localise(game.title);
  const name = encodeURIComponent(game.name);
  return html`
    <li class="tile">
      <a class="tile-play" href=${`#/play/new/${name}`}>
        <${TileCards} game=${game} name="tile-cards" />
        <b>${title}</b>
        <span class="small">${game.seats ? t('players', game.seats) : ''}</span>
      </a>
      <p class="tile-links">
        <a href=${`#/learn/${name}`} aria-label=${`${t('howToPlay')}${t('colon')}${title}`}>${t('howToPlay')}</a>
        <a href=${`#/rules/${name}`} aria-label=${`${t('changeRules')}${t('colon')}${title}`}>${t('changeShort')}</a>
      </p>
    </li>
  `;
}
