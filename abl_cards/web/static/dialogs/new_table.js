// Component NewTable: form with game, profile, agents, practice and seed of a new table.
import { html, useEffect, useState } from '../html.js';
import { ask } from '../link.js';
import { say } from '../settings.js';
import { t } from '../words.js';
import { AgentSelect } from './agent_select.js';
import { Dialog } from './dialog.js';
import { closeDialog } from './open_dialog.js';

export function NewTable({ start, game }) {
  const [known, setKnown] = useState(null);
  const [problem, setProblem] = useState('');
  const [chosen, setChosen] = useState({ game: '', profile: '', seats: null, practice: true, seed: '' });
  const shown = () =>
    ask('/api/games').then(
      (told) => {
        setKnown(told);
        setChosen((now) => ({
          ...now,
          game: now.game || (told.games.some((each) => each.name === game) ? game : told.first),
        }));
      },
      (error) => setProblem(error.message),
    );
  const found = known?.games.find((each) => each.name === chosen.game);
  const [about, setAbout] = useState({});
  useEffect(() => {
    if (chosen.game && !about[chosen.game])
      ask(`/api/game?name=${encodeURIComponent(chosen.game)}`).then(
        (told) => {
          setProblem('');
          setAbout((now) => ({ ...now, [told.name]: told }));
        },
        (error) => setProblem(error.message),
      );
  }, [chosen.game]);
  const seats =
    chosen.seats?.game === chosen.game
      ? chosen.seats.who
      : Array.from({ length: about[chosen.game]?.seats ?? 0 }, (_, seat) => (seat ? 'kb' : 'person'));
  const seat = (place, who) =>
    setChosen({
      ...chosen,
      seats: { game: chosen.game, who: seats.map((each, other) => (other === place ? who : each)) },
    });
  const open = (event) => {
    event.preventDefault();
    closeDialog('new');
    start({
      game: chosen.game,
      ...(chosen.profile ? { profile: chosen.profile } : {}),
      ...(seats.length ? { seats } : {}),
      practice: chosen.practice,
      ...(chosen.seed !== '' ? { seed: chosen.seed } : {}),
    });
  };
  return html`
    <${Dialog} name="new" heading=${t('newTable')} shown=${shown}>
      ${
        problem &&
        html`
          <p class="problem" role="alert">
            ${problem}
          </p>
        `
      }
      ${
        known &&
        html`
          <form onSubmit=${open}>
            <label>
              ${t('game')}${' '}
              <select
                id="new-game"
                value=${chosen.game}
                onChange=${(event) => setChosen({ ...chosen, game: event.target.value, profile: '', seats: null })}
              >
                ${known.games.map(
                  (each) => html`
                    <option key=${each.name} value=${each.name}>
                      ${say(each.title)}
                    </option>
                  `,
                )}
              </select>
            </label>
            ${
              found?.profiles.length > 1 &&
              html`
                <label>
                  ${t('profile')}${' '}
                  <select
                    id="new-profile"
                    value=${chosen.profile || found.profile}
                    onChange=${(event) => setChosen({ ...chosen, profile: event.target.value })}
                  >
                    ${found.profiles.map(
                      (each) => html`
                        <option key=${each} value=${each}>
                          ${each.replaceAll('_', ' ')}
                          ${each === found.profile ? ` (${t('usual')})` : ''}
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
                (who, place) => html`
                  <${AgentSelect}
                    key=${`${chosen.game}${place}`}
                    place=${place}
                    who=${who}
                    first=${seats.indexOf('person') === place}
                    agents=${found.agents}
                    choose=${(value) => seat(place, value)}
                  />
                `,
              )}
            </fieldset>
            <label>
              <input
                type="checkbox"
                checked=${chosen.practice}
                onChange=${(event) => setChosen({ ...chosen, practice: event.target.checked })}
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
                value=${chosen.seed}
                onInput=${(event) => setChosen({ ...chosen, seed: event.target.value.replace(/\D/g, '') })}
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
