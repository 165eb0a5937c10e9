// Component NotebookPane: the column of cells, with the menu of new ones and the export.
import { html, useRef } from '../html.js';
import { KeyText } from '../text/key_text.js';
import { t } from '../words.js';
import { AddMenu } from './add_menu.js';
import { CellFrame } from './cell_frame.js';
import { ExportMenu } from './export_menu.js';

export function NotebookPane({ lab, state, games, language }) {
  const column = useRef(null);
  const { cells, session } = state;
  const focus = (index) => column.current?.querySelectorAll('.cell')[index]?.focus();
  // The focus goes to a cell unless it has moved to another part of the page meanwhile.
  const isHere = () =>
    document.activeElement === document.body || column.current?.parentElement.contains(document.activeElement);
  const pickUp = (index) =>
    requestAnimationFrame(() => isHere() && focus(Math.max(0, Math.min(index, lab.state.cells.length - 1))));
  return html`
    <section class="lab-cells" aria-label=${t('paneCells')}>
      <div class="buttons">
        <h2>${t('paneCells')}</h2>
        <span class="grow"></span>
        <${AddMenu} lab=${lab} isEnabled=${Boolean(session)} added=${() => pickUp(0)} />
        <button type="button" disabled=${!session} onClick=${() => lab.runAll().catch(lab.showError)}>
          ${t('cellsRun')}
        </button>
        <${ExportMenu} lab=${lab} state=${state} games=${games} />
      </div>
      <p class="small keys"><${KeyText} text=${t('cellKeys')} /></p>
      ${session && !cells.length && html`<p class="empty">${t('cellsNone')}</p>`}
      <ol class="cells" ref=${column}>
        ${cells.map(
          (cell, index) => html`
            <${CellFrame}
              key=${cell.id}
              cell=${cell}
              number=${index + 1}
              count=${cells.length}
              lab=${lab}
              state=${state}
              language=${language}
              focusAt=${pickUp}
            />
          `,
        )}
      </ol>
    </section>
  `;
}
