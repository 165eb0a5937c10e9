// Component GameTile: a game with three of its cards, its number of players, and what can be done with it.
import { CardFace } from '../cards/card_face.js';
import { suitClass } from '../cards/card_text.js';
import { html } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';

const NUM_CARDS = 3;
const BACKS = Array.from({ length: NUM_CARDS }, () => null);

// The three cards of a game; face down where they are not known yet.
export function TileCards({ game, name }) {
  const cards = game.cards.length ? game.cards : BACKS;
  return html`
    <span class=${name} aria-hidden="true">
      ${cards.map((card, index) => html`<${TileCard} key=${index} card=${card} />`)}
    </span>
  `;
}

function TileCard({ card }) {
  if (!card)
    return html`
      <span class="card face-down"></span>
    `;
  return html`
    <span class=${`card ${suitClass(card)}`}><${CardFace} card=${card} /></span>
  `;
}

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
