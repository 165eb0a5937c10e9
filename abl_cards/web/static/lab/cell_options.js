// Component CellOptions: numbers and switches of a cell, such as the number of games and the seed.
import { html } from '../html.js';
import { t } from '../words.js';
import { BOUNDS } from './notebook.js';

const PLAYERS = ['kb', 'greedy', 'random'];

export function CellOptions({ cell, change }) {
  const { options } = cell;
  const set = (name, value) => change({ ...options, [name]: value });
  return html`
    <span class="options">
      ${Object.keys(BOUNDS)
        .filter((name) => name in options)
        .map(
          (name) => html`
            <label key=${name} class="small">
              ${t(`option_${name}`)}${' '}
              <input
                type="number"
                min=${BOUNDS[name][0]}
                max=${BOUNDS[name][1]}
                value=${options[name]}
                onChange=${(event) => set(name, Number(event.target.value))}
              />
            </label>
          `,
        )}
      ${
        'player' in options &&
        html`
          <label class="small">
            ${t('option_player')}${' '}
            <select value=${options.player} onChange=${(event) => set('player', event.target.value)}>
              ${PLAYERS.map((name) => html`<option key=${name} value=${name}>${t(`agent_${name}`)}</option>`)}
            </select>
          </label>
        `
      }
      ${
        'parents' in options &&
        html`
          <label class="small">
            <input
              type="checkbox"
              checked=${options.parents}
              onChange=${(event) => set('parents', event.target.checked)}
            />${' '}
            ${t('option_parents')}
          </label>
        `
      }
    </span>
  `;
}
