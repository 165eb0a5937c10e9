// Component KeptCopiesList: copies of the rules and the notebook that this browser keeps.
import { html, useState } from '../html.js';
import { t } from '../words.js';
import { listCopies, removeCopy } from './kept_copies.js';
import { COPY_MARK } from './share_link.js';

const timeText = (time) => new Date(time).toLocaleString();

export function KeptCopiesList({ lab, state }) {
  const [name, setName] = useState('');
  const [copies, setCopies] = useState(null);
  const [problem, setProblem] = useState('');
  const attempt = async (command) => {
    try {
      await command();
      setProblem('');
      setCopies(await listCopies());
    } catch (error) {
      setProblem(error.reason ? t(error.reason) : error.message);
    }
  };
  const current = `tab:${state.session?.lab}`;
  const open = (copy) => {
    location.hash = `#/rules/${encodeURIComponent(copy.game)}/${COPY_MARK}${encodeURIComponent(copy.id)}`;
    location.reload();
  };
  return html`
    <details onToggle=${(event) => event.target.open && attempt(() => {})}>
      <summary>${t('keepCopies')}</summary>
      <form
        class="share"
        onSubmit=${(event) => {
          event.preventDefault();
          if (name.trim()) attempt(() => lab.keepNamed(name.trim()).then(() => setName('')));
        }}
      >
        <label>
          <span class="small">${t('keepName')}</span>
          <input value=${name} maxlength="60" onInput=${(event) => setName(event.target.value)} />
        </label>
        <button type="submit" disabled=${!name.trim() || !state.session}>
          ${t('keepNow')}
        </button>
      </form>
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      <ul class="copies">
        ${(copies ?? [])
          .filter((copy) => copy.id !== current)
          .map(
            (copy) => html`
              <li key=${copy.id}>
                <button type="button" class="quiet" onClick=${() => open(copy)}>
                  ${copy.name || t('keepRecovered')}${' '}
                  <span class="small">${copy.game} · ${timeText(copy.time)}</span>
                </button>
                <button
                  type="button"
                  class="quiet"
                  aria-label=${t('keepRemove', copy.name || t('keepRecovered'))}
                  onClick=${() => attempt(() => removeCopy(copy.id))}
                >
                  ✕
                </button>
              </li>
            `,
          )}
      </ul>
    </details>
  `;
}
