// Component NewTable: form with game, profile, agents, practice and seed of a new table.
import { html, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { agentTitle, agentWords } from '../text/agent_name.js';
import { AgentSelect } from './agent_select.js';
import { Dialog } from './dialog.js';
import { closeDialog } from './open_dialog.js';

export function NewTable({ start, game }) {
  const [catalogue, setCatalogue] = useState(null);
  const [problem, setProblem] = useState('');
  const [form, setForm] = useState({ game: '', profile: '', seats: null, practice: true, seed: '' });
  const onShow = () =>
    request('/api/games').then(
      (response) => {
        setCatalogue(response);
        setForm((previous) => ({
          ...previous,
          game: previous.game || (response.games.some((item) => item.name === game) ? game : response.first),
        }));
      },
      (error) => setProblem(error.message),
    );
  const gameInfo = catalogue?.games.find((game) => game.name === form.game);
  const [details, setDetails] = useState({});
  const choice = `${form.game} ${form.profile}`;
  const shown = details[choice];
  useEffect(() => {
    if (!form.game || shown) return;
    const query = new URLSearchParams({ name: form.game, profile: form.profile });
    request(`/api/game?${query}`).then(
      (response) => {
        setProblem('');
        setDetails((previous) => ({ ...previous, [choice]: response }));
      },
      (error) => setProblem(error.message),
    );
  }, [choice]);
  const seats =
    form.seats?.game === form.game
      ? form.seats.who
      : Array.from({ length: shown?.seats ?? 0 }, (_, seat) => (seat ? 'kb' : 'person'));
  const seat = (index, player) =>
    setForm({
      ...form,
      seats: { game: form.game, who: seats.map((seat, other) => (other === index ? player : seat)) },
    });
  const stagesText =
    shown && (shown.stages.length ? t('before', shown.stages.map(localise).join(t('comma'))) : t('noStages'));
  const open = (event) => {
    event.preventDefault();
    closeDialog('new');
    start({
      game: form.game,
      ...(form.profile ? { profile: form.profile } : {}),
      ...(seats.length ? { seats } : {}),
      practice: form.practice,
      ...(form.seed !== '' ? { seed: form.seed } : {}),
    });
  };
  return html`
    <${Dialog} name="new" heading=${t('newTable')} onShow=${onShow}>
      ${
        problem &&
        html`
          <p class="problem" role="alert">
            ${problem}
          </p>
        `
      }
      ${
        catalogue &&
        html`
          <form onSubmit=${open}>
            <label>
              ${t('game')}${' '}
              <select
                id="new-game"
                value=${form.game}
                onChange=${(event) => setForm({ ...form, game: event.target.value, profile: '', seats: null })}
              >
                ${catalogue.games.map(
                  (game) => html`
                    <option key=${game.name} value=${game.name}>
                      ${localise(game.title)}
                    </option>
                  `,
                )}
              </select>
            </label>
            ${
              gameInfo?.profiles.length > 1 &&
              html`
                <label>
                  ${t('profile')}${' '}
                  <select
                    id="new-profile"
                    value=${form.profile || gameInfo.profile}
                    onChange=${(event) => setForm({ ...form, profile: event.target.value })}
                  >
                    ${gameInfo.profiles.map(
                      (profile, index) => html`
                        <option key=${profile} value=${profile}>
                          ${localise(gameInfo.profile_titles[index])}
                          ${profile === gameInfo.profile ? ` (${t('usual')})` : ''}
                        </option>
                      `,
                    )}
                  </select>
                </label>
              `
            }
            <p class="small about">
              ${stagesText}
            </p>
            <fieldset>
              <legend>${t('seats')}</legend>
              ${seats.map(
                (player, index) => html`
                  <${AgentSelect}
                    key=${`${form.game}${index}`}
                    seat=${index}
                    player=${player}
                    first=${seats.indexOf('person') === index}
                    agents=${gameInfo.agents}
                    onSelect=${(value) => seat(index, value)}
                  />
                `,
              )}
              <ul class="small about">
                ${gameInfo?.agents.map(
                  (agent) =>
                    agentWords(agent) &&
                    html`<li key=${agent}><b>${agentTitle(agent)}</b>${t('colon')}${agentWords(agent)}</li>`,
                )}
              </ul>
            </fieldset>
            <label>
              <input
                type="checkbox"
                checked=${form.practice}
                onChange=${(event) => setForm({ ...form, practice: event.target.checked })}
              />${' '}
              ${t('practice')}
            </label>
            <label>
              ${t('seed')}${' '}
              <input
                id="new-seed"
                inputmode="numeric"
                pattern="[0-9]{0,39}"
                size="10"
                value=${form.seed}
                onInput=${(event) => setForm({ ...form, seed: event.target.value.replace(/\D/g, '') })}
              />
            </label>
            <p class="buttons">
              <button type="submit" class="strong">
                ${t('open')}
              </button>
            </p>
          </form>
        `
      }
    </${Dialog}>
  `;
}
