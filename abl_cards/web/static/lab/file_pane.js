// Component FilePane: the game, its files, and what becomes of them: copies, links, folders.
import { html, useState } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { FileList } from './file_list.js';
import { KeptCopiesList } from './kept_copies_list.js';
import { MAX_LINK_LENGTH, pack } from './share_link.js';

export function FilePane({ lab, state, games, opened }) {
  const { session } = state;
  const [folder, setFolder] = useState('my-rules');
  const [link, setLink] = useState('');
  const copyLink = () =>
    lab.do(async () => {
      await lab.flush();
      const page = `${location.origin}${location.pathname}#/rules/${encodeURIComponent(session.game)}`;
      const text = `${page}/${await pack(await lab.call('own'))}`;
      if (text.length > MAX_LINK_LENGTH) throw new Error(t('linkLong'));
      setLink(text);
      await navigator.clipboard?.writeText(text).catch(() => {});
      lab.set({ status: t('linkMade', text.length) });
    });
  const saveFolder = () =>
    lab.do(async () => lab.set({ status: t('labKept', (await lab.call('save', { folder })).saved) }));
  const addFile = () => {
    const name = prompt(t('labNewName'), 'more.lp');
    if (name) lab.do(() => lab.addFile(name)).then(opened);
  };
  return html`
    <nav class="lab-files" aria-label=${t('labFiles')}>
      <label class="small">
        ${t('labGame')}${' '}
        <select value=${session?.game ?? ''} onChange=${(event) => lab.do(() => lab.open(event.target.value))}>
          ${games.map(
            (game) => html`
              <option key=${game.name} value=${game.name}>
                ${localise(game.title)}
              </option>
            `,
          )}
        </select>
      </label>
      <${FileList}
        files=${state.files}
        file=${state.file}
        open=${(name) => {
          opened();
          lab.openFile(name).catch(lab.showError);
        }}
      />
      <button type="button" disabled=${!session} onClick=${addFile}>
        ${t('labNew')}
      </button>
      <button type="button" class="strong" disabled=${!session} onClick=${() => lab.do(() => lab.play())}>
        ${t('labPlay')}
      </button>
      <${KeptCopiesList} lab=${lab} state=${state} />
      <details>
        <summary>${t('labShare')}</summary>
        <div class="share">
          <button type="button" disabled=${!session} onClick=${copyLink}>
            ${t('linkMake')}
          </button>
          ${
            link &&
            html`
              <input
                readonly
                class="link"
                aria-label=${t('linkMake')}
                value=${link}
                onFocus=${(event) => event.target.select()}
              />
            `
          }
          <label>
            <span class="small">${t('labFolder')}</span>
            <input value=${folder} onInput=${(event) => setFolder(event.target.value)} />
          </label>
          ${
            session &&
            html`
              <a class="button" download href=${`/api/labs/${session.lab}/${encodeURIComponent(folder)}.zip`}>
                ${t('labZip')}
              </a>
            `
          }
          ${
            session?.saves &&
            html`
              <button type="button" onClick=${saveFolder}>
                ${t('labKeep')}
              </button>
            `
          }
        </div>
      </details>
    </nav>
  `;
}
