// Component OpenForm: settings of a new class, and the classes of this browser.
import { html, useEffect, useState } from '../html.js';
import { readHome } from '../early_requests.js';
import { request } from '../link.js';
import { localise } from '../settings.js';
import { agentName } from '../text/agent_name.js';
import { t } from '../words.js';
import { ownClasses } from './class_data.js';

const AGENTS = ['kb', 'greedy', 'random'];

export function OpenForm() {
  const [home, setHome] = useState(null);
  const [form, setForm] = useState({ game: '', people: 1, agent: 'kb', practice: false, seed: '' });
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    readHome().then(setHome);
  }, []);
  const games = home?.games ?? [];
  const game = form.game || home?.first || games[0]?.name || '';
  const seats = games.find((item) => item.name === game)?.seats || 1;
  const change = (changes) => setForm({ ...form, ...changes });
  const open = async (event) => {
    event.preventDefault();
    setIsBusy(true);
    const { seed, ...fields } = form;
    try {
      const people = Math.min(form.people, seats);
      const opened = await request('/api/classes', { ...fields, game, people, ...(seed ? { seed } : {}) });
      location.hash = `#/class/${opened.code}/${opened.token}`;
    } catch (error) {
      setProblem(error.message);
      setIsBusy(false);
    }
  };
  const classes = ownClasses();
  return html`
    <section class="panel entry">
      <h1>${t('openClass')}</h1>
      <p>${t('classIdea')}</p>
      <form class="fields" onSubmit=${open}>
        <label>
          <span>${t('game')}</span>
          <select id="class-game" value=${game} onChange=${(event) => change({ game: event.target.value })}>
            ${games.map((item) => html`<option key=${item.name} value=${item.name}>${localise(item.title)}</option>`)}
          </select>
        </label>
        <label>
          <span>${t('pupilsEach')}</span>
          <select
            id="class-people"
            value=${Math.min(form.people, seats)}
            onChange=${(event) => change({ people: Number(event.target.value) })}
          >
            ${Array.from({ length: seats }, (_, index) => index + 1).map(
              (number) => html`<option key=${number} value=${number}>${number}</option>`,
            )}
          </select>
        </label>
        <label>
          <span>${t('restBy')}</span>
          <select value=${form.agent} onChange=${(event) => change({ agent: event.target.value })}>
            ${AGENTS.map((agent) => html`<option key=${agent} value=${agent}>${agentName(agent)}</option>`)}
          </select>
        </label>
        <label>
          <span>${t('seed')}</span>
          <input
            inputmode="numeric"
            pattern="[0-9]{0,39}"
            value=${form.seed}
            onInput=${(event) => change({ seed: event.target.value.replace(/\D/g, '') })}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked=${form.practice}
            onChange=${(event) => change({ practice: event.target.checked })}
          />${' '}
          ${t('classPractice')}
        </label>
        <p class="buttons">
          <button type="submit" class="strong" disabled=${isBusy || !game}>
            ${t(isBusy ? 'opening' : 'openClass')}
          </button>
        </p>
      </form>
      ${
        problem &&
        html`
          <p class="problem" role="alert">${problem}</p>
        `
      }
      ${
        classes.length > 0 &&
        html`
          <h2>${t('yourClasses')}</h2>
          <ul>
            ${classes.map(
              ({ code, token, title }) => html`
                <li key=${code}>
                  <a href=${`#/class/${code}/${token}`}><code>${code}</code> ${title ? localise(title) : ''}</a>
                </li>
              `,
            )}
          </ul>
        `
      }
    </section>
  `;
}
