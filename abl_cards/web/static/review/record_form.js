// Component RecordForm: choose a game and a file of records.
import { html, useEffect, useState } from '../html.js';
import { ask } from '../link.js';
import { say } from '../settings.js';
import { t } from '../words.js';

async function readText(file) {
  const stream = file.name.endsWith('.gz') ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  return new Response(stream).text();
}

export function RecordForm({ opened }) {
  const [games, setGames] = useState(null);
  const [wish, setWish] = useState({ game: '', profile: '', text: '', line: 1 });
  const [problem, setProblem] = useState('');
  const lines = wish.text.split('\n').filter((line) => line.trim()).length;
  const open = async (wanted) => {
    try {
      const made = await ask('/api/reviews', {
        game: wanted.game,
        text: wanted.text,
        line: Math.max(1, Number(wanted.line) || 1),
        ...(wanted.profile ? { profile: wanted.profile } : {}),
      });
      opened(made);
    } catch (error) {
      setProblem(error.message);
    }
  };
  useEffect(() => {
    ask('/api/games').then(
      (told) => {
        setGames(told);
        const kept = sessionStorage.getItem('review');
        sessionStorage.removeItem('review');
        const before = kept ? JSON.parse(kept) : {};
        const now = { game: told.first, profile: '', text: '', line: 1, ...before };
        setWish(now);
        if (kept) open({ ...now, line: now.text.split('\n').length });
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
        open(wish);
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
        <select value=${wish.game} onChange=${(event) => setWish({ ...wish, game: event.target.value })}>
          ${games.games.map(
            (each) => html`
              <option key=${each.name} value=${each.name}>
                ${say(each.title)}
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
          onChange=${async (event) =>
            setWish({ ...wish, text: event.target.files[0] ? await readText(event.target.files[0]) : '' })}
        />
      </label>
      <textarea
        aria-label=${t('recordsHere')}
        rows="6"
        value=${wish.text}
        onInput=${(event) => setWish({ ...wish, text: event.target.value })}
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
              value=${wish.line}
              onInput=${(event) => setWish({ ...wish, line: event.target.value })}
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
