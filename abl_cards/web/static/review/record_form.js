// Component RecordForm: a file or text of records, and the game for records that name none.
import { html, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { gameOfRecords } from './record_game.js';
import { readText } from '../read_text.js';

export function RecordForm({ open }) {
  const [games, setGames] = useState(null);
  const [form, setForm] = useState({ game: '', profile: '', text: '', line: 1 });
  const [problem, setProblem] = useState('');
  const lines = form.text.split('\n').filter((line) => line.trim()).length;
  const named = games && gameOfRecords(form.text, games.games);
  const setText = (text) =>
    setForm((previous) => ({ ...previous, text, game: gameOfRecords(text, games.games) ?? previous.game }));
  useEffect(() => {
    request('/api/games').then(
      (catalogue) => {
        setGames(catalogue);
        const stored = sessionStorage.getItem('review'); // records that a table hands over
        sessionStorage.removeItem('review');
        const saved = stored ? JSON.parse(stored) : {};
        const initial = { game: catalogue.first, profile: '', text: '', line: 1, ...saved };
        setForm(initial);
        if (stored) open({ ...initial, line: initial.text.split('\n').length });
      },
      (error) => setProblem(error.message),
    );
  }, []);
  if (!games) return html`<p class="wait">${problem || t('connecting')}</p>`;
  return html`
    <form
      class="panel opener"
      onSubmit=${(event) => {
        event.preventDefault();
        open(form);
      }}
    >
      <h2>${t('ownRecord')}</h2>
      <label>
        ${t('recordsHere')}${' '}
        <input
          type="file"
          accept=".jsonl,.json,.gz,.txt"
          onChange=${async (event) => setText(event.target.files[0] ? await readText(event.target.files[0]) : '')}
        />
      </label>
      <textarea
        aria-label=${t('recordsHere')}
        rows="4"
        value=${form.text}
        onInput=${(event) => setText(event.target.value)}
      ></textarea>
      ${
        lines > 0 &&
        !named &&
        html`
          <label>
            ${t('game')}${' '}
            <select value=${form.game} onChange=${(event) => setForm({ ...form, game: event.target.value })}>
              ${games.games.map(
                (game) => html`<option key=${game.name} value=${game.name}>${localise(game.title)}</option>`,
              )}
            </select>
          </label>
        `
      }
      ${named && html`<p class="small">${t('game')}${t('colon')}${titleOf(games, named)}</p>`}
      ${
        lines > 1 &&
        html`
          <label>
            ${t('lineOf', '', lines)}${' '}
            <input
              type="number"
              min="1"
              max=${lines}
              value=${form.line}
              onInput=${(event) => setForm({ ...form, line: event.target.value })}
            />
          </label>
        `
      }
      <p class="buttons">
        <button type="submit" class="strong" disabled=${!lines}>${t('look')}</button>
      </p>
    </form>
  `;
}

const titleOf = (games, name) => localise(games.games.find((game) => game.name === name).title);
