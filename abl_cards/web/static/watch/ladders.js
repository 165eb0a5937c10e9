// Component Ladders: ratings of the agents of each game, as cards.
import { Chart } from '../chart/chart.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { gameTitle } from './game_title.js';
import { usePoll } from './use_poll.js';

export function Ladders({ version }) {
  const [ladders] = usePoll(`/api/ladders?version=${version}`, 60);
  if (!ladders?.length) return null;
  return html`
    <section class="panel">
      <h2>${t('laddersHere')}</h2>
      <ul class="cards-grid">
        ${ladders.map(
          (ladder) => html`
            <li key=${ladder.game} class="report-card">
              <a href=${`#/watch/ladder/${encodeURIComponent(ladder.game)}`}>
                <h3>${gameTitle(ladder.game)}</h3>
                <div aria-hidden="true"><${Chart} plot=${ladder.plot} small=${true} /></div>
              </a>
            </li>
          `,
        )}
      </ul>
    </section>
  `;
}
