// Component PaneTabs: files, editor or notebook, where there is room for one of them only.
import { html } from '../html.js';
import { t } from '../words.js';

const PANES = { files: 'labFiles', text: 'paneText', cells: 'paneCells' };

export function PaneTabs({ pane, choose }) {
  return html`
    <div class="pane-tabs" role="group" aria-label=${t('panes')}>
      ${Object.entries(PANES).map(
        ([name, word]) => html`
          <button key=${name} type="button" aria-pressed=${pane === name} onClick=${() => choose(name)}>
            ${t(word)}
          </button>
        `,
      )}
    </div>
  `;
}
