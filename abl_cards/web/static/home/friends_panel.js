// Component FriendsPanel: open a table for several people, and invite them by one link.
import { agentName } from '../text/agent_name.js';
import { html, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { requestTable } from '../request_table.js';
import { localise, updateSettings, useSettings } from '../settings.js';
import { t } from '../words.js';
import { friendSeats } from './home_data.js';
import { InviteLink } from './invite_link.js';

const DEFAULT_AGENT = 'kb';

export function FriendsPanel({ games, first, network }) {
  const { name } = useSettings();
  const [chosen, setChosen] = useState('');
  const [people, setPeople] = useState(2);
  const [opened, setOpened] = useState(null);
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [code, setCode] = useState('');
  const game = chosen || first;
  const seats = games.find((item) => item.name === game)?.seats || 4;
  useEffect(() => setPeople((number) => Math.min(number, seats)), [seats]);
  const open = async (event) => {
    event.preventDefault();
    setIsBusy(true);
    setProblem('');
    try {
      const { teams } = await request(`/api/game?name=${encodeURIComponent(game)}`);
      const players = friendSeats(teams, people, DEFAULT_AGENT);
      setOpened(await requestTable({ game, seats: players, practice: false }));
    } catch (error) {
      setProblem(error.message);
    }
    setIsBusy(false);
  };
  return html`
    <section class="panel" id="friends" aria-labelledby="friends-heading">
      <h2 id="friends-heading">${t('playTogether')}</h2>
      ${
        opened
          ? html`
            <${InviteLink} path=${`#/join/${opened.table}/${opened.join}`} label=${t('lobbyLink')} network=${network} />
            <p class="small">${t('seatsOnArrival')}</p>
            <p class="buttons">
              <a class="button strong" href=${`#/play/${opened.table}/${opened.token}`}>${t('toTable')}</a>
              <button type="button" onClick=${() => setOpened(null)}>${t('anotherTable')}</button>
            </p>
          `
          : html`
            <form class="fields" onSubmit=${open}>
              <label>
                <span>${t('name')}</span>
                <input
                  id="friends-name"
                  required
                  maxlength="24"
                  autocomplete="nickname"
                  value=${name}
                  onInput=${(event) => updateSettings({ name: event.target.value.trimStart() })}
                />
              </label>
              <label>
                <span>${t('game')}</span>
                <select id="friends-game" value=${game} onChange=${(event) => setChosen(event.target.value)}>
                  ${games.map(
                    (item) => html`
                      <option key=${item.name} value=${item.name}>
                        ${localise(item.title)}
                      </option>
                    `,
                  )}
                </select>
              </label>
              <label>
                <span>${t('howMany')}</span>
                <select
                  id="friends-people"
                  value=${people}
                  onChange=${(event) => setPeople(Number(event.target.value))}
                >
                  ${Array.from({ length: Math.max(1, seats - 1) }, (_, index) => index + 2).map(
                    (number) => html`<option key=${number} value=${number}>${t('peopleOf', number, seats)}</option>`,
                  )}
                </select>
              </label>
              <p class="small">${t('restAgents', agentName(DEFAULT_AGENT))}</p>
              <p class="buttons">
                <button type="submit" class="strong" disabled=${isBusy || !name.trim() || !games.length}>
                  ${t(isBusy ? 'opening' : 'invitePeople')}
                </button>
              </p>
            </form>
          `
      }
      ${
        problem &&
        html`
          <p class="problem" role="alert">${problem}</p>
        `
      }
      <form
        class="class-entry"
        onSubmit=${(event) => {
          event.preventDefault();
          if (code.trim()) location.hash = `#/class/${encodeURIComponent(code.trim().toUpperCase())}`;
        }}
      >
        <label>
          <span>${t('classCode')}</span>
          <input
            id="class-code"
            size="8"
            maxlength="8"
            autocomplete="off"
            autocapitalize="characters"
            value=${code}
            onInput=${(event) => setCode(event.target.value)}
          />
        </label>
        <button type="submit" disabled=${!code.trim()}>${t('enterClass')}</button>
        <a href="#/class">${t('openClass')}</a>
      </form>
    </section>
  `;
}
