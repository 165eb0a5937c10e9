// Component TileCards: the three cards of a game; face down where they are not known yet.
import { html } from '../html.js';
import { TileCard } from './tile_card.js';

const NUM_CARDS = 3;

const BACKS = Array.from({ length: NUM_CARDS }, () => null);

export function TileCards({ game, name }) {
  const cards = game.cards.length ? game.cards : BACKS;
  return html`
    <span class=${name} aria-hidden="true">
      ${cards.map((card, index) => html`<${TileCard} key=${index} card=${card} />`)}
    </span>
  `;
}
