// Component AddMenu: new cells by kind; a position is one of play, or given as JSON.
import { html, useRef, useState } from '../html.js';
import { t } from '../words.js';
import { KINDS } from './notebook.js';

export function AddMenu({ lab, isEnabled, added }) {
  const menu = useRef(null);
  const [draft, setDraft] = useState('');
  const add = (command) => {
    menu.current.removeAttribute('open');
    lab.do(command).then(added);
  };
  const addJson = (event) => {
    event.preventDefault();
    add(async () => {
      let state = null;
      try {
        state = JSON.parse(draft);
      } catch {
        /* worded below */
      }
      if (!state || typeof state !== 'object' || Array.isArray(state)) throw new Error(t('jsonWrong'));
      await lab.addPosition(state);
      setDraft('');
    });
  };
  const addKind = (kind) => (kind === 'position' ? lab.addSample() : lab.addCell(kind));
  return html`
    <details class="menu" ref=${menu}>
      <summary class="button strong" aria-disabled=${!isEnabled}>${t('cellAdd')}</summary>
      <div class="menu-list">
        ${Object.keys(KINDS).map(
          (kind) => html`
            <button key=${kind} type="button" disabled=${!isEnabled} onClick=${() => add(() => addKind(kind))}>
              ${t(`cell_${kind}`)} <span class="small">${t(`about_${kind}`)}</span>
            </button>
          `,
        )}
        <form onSubmit=${addJson}>
          <label>
            <span class="small">${t('labState')}</span>
            <textarea
              rows="2"
              value=${draft}
              lang="en"
              placeholder='{"hand": ["S5", "H5"], "to_beat": null}'
              onInput=${(event) => setDraft(event.target.value)}
            ></textarea>
          </label>
          <button type="submit" disabled=${!draft.trim() || !isEnabled}>
            ${t('labPin')}
          </button>
        </form>
      </div>
    </details>
  `;
}
