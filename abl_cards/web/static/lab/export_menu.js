// Component ExportMenu: the notebook as one HTML file, or as Markdown.
import { html, loadModule, useRef } from '../html.js';
import { fileName, saveFile } from '../save_file.js';
import { localise } from '../settings.js';
import { t } from '../words.js';

export function ExportMenu({ lab, state, games }) {
  const menu = useRef(null);
  const save = (kind) => () => {
    menu.current.removeAttribute('open');
    lab.do(async () => {
      await lab.flush();
      const [{ exportHtml, exportMarkdown }, diff] = await Promise.all([
        loadModule('lab/export'),
        lab.call('diff', { base: 'opened' }),
      ]);
      const { session } = lab.state;
      const title = localise(games.find((game) => game.name === session.game)?.title ?? session.game);
      const about = { title, game: session.game, profile: lab.profile, version: lab.state.version, diff: diff.files };
      const text = kind === 'html' ? exportHtml(lab, about) : exportMarkdown(lab.state, about, lab.stamp);
      const name = fileName(session.game);
      saveFile(`${name}.${kind}`, text, kind === 'html' ? 'text/html' : 'text/markdown');
      lab.set({ status: t('exportDone') });
    });
  };
  return html`
    <details class="menu" ref=${menu}>
      <summary class="button">${t('exportAs')}</summary>
      <div class="menu-list">
        <button type="button" disabled=${!state.session} onClick=${save('html')}>
          ${t('exportHtml')}
        </button>
        <button type="button" disabled=${!state.session} onClick=${save('md')}>
          ${t('exportMarkdown')}
        </button>
      </div>
    </details>
  `;
}
