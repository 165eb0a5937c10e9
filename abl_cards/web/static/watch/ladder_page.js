// Component LadderPage: ratings of the agents of a game from all its match results.
import { Chart } from '../chart/chart.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { DataGrid } from './data_grid.js';
import { gameTitle } from './game_title.js';
import { Problem } from './problem.js';
import { usePoll } from './use_poll.js';

export function LadderPage({ game }) {
  const [ladders, problem] = usePoll('/api/ladders', 10);
  const ladder = ladders?.find((other) => other.game === game);
  const title = t('ladderOf', gameTitle(game));
  return html`
    <article class="opener report">
      <p><a href="#/watch">${t('allExperiments')}</a></p>
      <h1>${title}</h1>
      <${Problem} text=${problem || (ladders && !ladder ? t('noLadder') : '')} />
      ${
        ladder &&
        html`
          <p class="small">${t('ladderMeaning')}</p>
          <${Chart} plot=${{ ...ladder.plot, title }} name=${`ladder-${gameTitle(game)}`} />
          <${DataGrid}
            caption=${t('matchesHere')}
            name=${`matches-${gameTitle(game)}`}
            columns=${t('pairColumns').split('|')}
            rows=${ladder.pairs}
          />
        `
      }
    </article>
  `;
}
