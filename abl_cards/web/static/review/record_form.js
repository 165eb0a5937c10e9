// Component RecordForm: choose a game and a file of records.
import { html, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { gameOfRecords } from './record_game.js';

async function readText(file) {
  const stream = file.name.endsWith('.gz') ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  return new Response(stream).text();
}

export function RecordForm({ onOpen }) {
  const [games, setGames] = useState(null);
  const [form, setForm] = useState({ game: '', profile: '', text: '', line: 1 });
  const [problem, setProblem] = useState('');
  const lines = form.text.split('\n').filter((line) => line.trim()).length;
  // Records name their game; what is chosen counts for those that do not.
  const setText = (text) =>
    setForm((previous) => ({ ...previous, text, game: gameOfRecords(text, games.games) ?? previous.game }));
  const open = async (fields) => {
    try {
      const review = await request('/api/reviews', {
        game: fields.game,
        text: fields.text,
        line: Math.max(1, Number(fields.line) || 1),
        ...(fields.profile ? { profile: fields.profile } : {}),
      });
      onOpen(review);
    } catch (error) {
      setProblem(error.message);
    }
  };
  useEffect(() => {
    request('/api/games').then(
      (catalogue) => {
        setGames(catalogue);
        const stored = sessionStorage.getItem('review');
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
      <h1>${t('openRecord')}</h1>
      ${
        problem &&
        html`
          <p class="problem" role="alert">
            ${problem}
          </p>
        `
      }
      <label>
        ${t('game')}${' '}
        <select value=${form.game} onChange=${(event) => setForm({ ...form, game: event.target.value })}>
          ${games.games.map(
            (game) => html`
              <option key=${game.name} value=${game.name}>
                ${localise(game.title)}
              </option>
            `,
          )}
        </select>
      </label>
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
        rows="6"
        value=${form.text}
        onInput=${(event) => setText(event.target.value)}
      ></textarea>
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
        <button type="submit" class="strong" disabled=${!lines}>
          ${t('look')}
        </button>
      </p>
    </form>
  `;
}
