// Component NewTable: form with game, profile, agents, practice and seed of a new table.
import { html, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
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
  useEffect(() => {
    if (form.game && !details[form.game])
      request(`/api/game?name=${encodeURIComponent(form.game)}`).then(
        (response) => {
          setProblem('');
          setDetails((previous) => ({ ...previous, [response.name]: response }));
        },
        (error) => setProblem(error.message),
      );
  }, [form.game]);
  const seats =
    form.seats?.game === form.game
      ? form.seats.who
      : Array.from({ length: details[form.game]?.seats ?? 0 }, (_, seat) => (seat ? 'kb' : 'person'));
  const seat = (index, player) =>
    setForm({
      ...form,
      seats: { game: form.game, who: seats.map((seat, other) => (other === index ? player : seat)) },
    });
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
