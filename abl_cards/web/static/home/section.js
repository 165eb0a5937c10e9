// Component Section: the home screen, from which everything else is reached.
import { readHome } from '../early_requests.js';
import { html, loadStyle, useEffect, useState } from '../html.js';
import { StartProgress } from '../play/start_progress.js';
import { useSettings } from '../settings.js';
import { t } from '../words.js';
import { ContinueList } from './continue_list.js';
import { FriendsPanel } from './friends_panel.js';
import { GameTile } from './game_tile.js';
import { LookOverPanel } from './look_over_panel.js';
import { MorePanel } from './more_panel.js';
import { firstOf } from './home_data.js';
import { TileCards } from './tile_cards.js';
import './words.js';

await loadStyle('home/home');

const RETRY_MS = 2000;
const MAX_RETRIES = 60;

// The tiles; asked for again while some cards are still unknown.
function useHome() {
  const [home, setHome] = useState(null);
  useEffect(() => {
    let timer = 0;
    let isLeft = false;
    const poll = async (retries) => {
      const read = await readHome();
      if (isLeft) return;
      if (read) setHome(read);
      const isIncomplete = !read || read.games.some((game) => !game.cards.length);
      if (isIncomplete && retries) timer = setTimeout(() => poll(retries - 1), RETRY_MS);
    };
    poll(MAX_RETRIES);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, []);
  return home;
}

export function Section() {
  useSettings();
  const home = useHome();
  const games = home?.games ?? [];
  const first = firstOf(home);
  return html`
    <div class="home">
      <section class="hero">
        <h1>abl-cards</h1>
        <p class="sentence">${t('sentence')}</p>
        <p class="buttons">
          <a class="button strong" href=${first ? `#/play/new/${encodeURIComponent(first.name)}` : '#/play/new'}>
            ${t('playNow')}
          </a>
          <a class="button" href="#friends">${t('playTogether')}</a>
        </p>
        ${home && !home.ready && html`<${StartProgress} />`}
        ${first && html`<${TileCards} game=${first} name="hero-cards" />`}
      </section>
      <${ContinueList} />
      <section class="games" aria-labelledby="games-heading">
        <h2 id="games-heading">${t('chooseGame')}</h2>
        <ul class="tiles">
          ${games.map(
            (game) => html`
              <${GameTile} key=${game.name} game=${game} />
            `,
          )}
        </ul>
      </section>
      <div class="panels">
        <${FriendsPanel} games=${games} first=${first?.name ?? ''} network=${home} />
        <${LookOverPanel} />
        <${MorePanel} />
      </div>
    </div>
  `;
}
