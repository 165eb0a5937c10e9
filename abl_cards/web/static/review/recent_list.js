// Component RecentList: records that were opened or finished in this browser.
import { html, useState } from '../html.js';
import { localise, useSettings } from '../settings.js';
import { agentName } from '../text/agent_name.js';
import { t } from '../words.js';
import { forgetGame, readGames } from './recent_games.js';

const when = (time, language) =>
  new Date(time).toLocaleString(language === 'zh' ? 'zh-CN' : 'en', { dateStyle: 'medium', timeStyle: 'short' });

const countBranches = (text) => {
  try {
    return JSON.parse(text).branches?.length ?? 0;
  } catch {
    return 0;
  }
};

export function RecentList({ open }) {
  const { language } = useSettings();
  const [games, setGames] = useState(readGames());
  if (!games.length) return null;
  const forget = (text) => {
    forgetGame(text);
    setGames(readGames());
  };
  return html`
    <section class="panel">
      <h2>${t('recentGames')}</h2>
      <ul class="games">
        ${games.map(
          (game) => html`
            <li key=${game.text}>
              <button type="button" class="game" onClick=${() => open(game)}>
                <b>${localise(game.title)}</b>
                <span>${(game.players ?? []).map(agentName).join(' · ')}</span>
                <span class="small">
                  ${when(game.time, language)}
                  ${(game.points ?? []).length > 0 && ` · ${game.points.join(' ')}`}
                  ${countBranches(game.text) > 0 && ` · ${t('withVariations', countBranches(game.text))}`}
                </span>
              </button>
              <button type="button" class="quiet" aria-label=${t('forgetGame')} onClick=${() => forget(game.text)}>
                ✕
              </button>
            </li>
          `,
        )}
      </ul>
    </section>
  `;
}
