// Component FileList: the files by kind; changed ones, those of the parent and profiles are marked.
import { html } from '../html.js';
import { t } from '../words.js';

const GROUPS = [
  ['fileRules', (name) => !name.includes('/')],
  ['fileProfiles', (name) => name.startsWith('profiles/')],
  ['fileOthers', (name) => name.includes('/') && !name.startsWith('profiles/')],
];

export function FileList({ files, file, open }) {
  return GROUPS.map(([word, belongs]) => {
    const members = files.filter((item) => belongs(item.name));
    if (!members.length) return null;
    return html`
      <section key=${word}>
        <h2 class="small">${t(word)}</h2>
        <ul>
          ${members.map(
            (item) => html`
              <li key=${item.name}>
                <button
                  type="button"
                  class=${`quiet ${item.own ? 'own-file' : 'parent-file'}`}
                  title=${t(item.own ? 'labOwn' : 'labInherited')}
                  aria-current=${item.name === file ? 'true' : undefined}
                  onClick=${() => open(item.name)}
                >
                  ${item.name.split('/').at(-1)}
                  <span class="unseen"> ${t(item.own ? 'labOwn' : 'labInherited')}</span>
                </button>
              </li>
            `,
          )}
        </ul>
      </section>
    `;
  });
}
