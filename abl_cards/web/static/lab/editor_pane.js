// Component EditorPane: the text of a file, the lines that differ from another version, and the problems.
import { html, useState } from '../html.js';
import { KeyText } from '../text/key_text.js';
import { t } from '../words.js';
import { DiffView } from './diff_view.js';
import { ProblemList } from './problem_list.js';

export function EditorPane({ lab, state, editorHost }) {
  const [tab, setTab] = useState('text');
  const { file, files, session } = state;
  const isOwn = files.find((item) => item.name === file)?.own;
  const tabButton = (name, word) => html`
    <button type="button" aria-pressed=${tab === name} onClick=${() => setTab(name)}>
      ${t(word)}
    </button>
  `;
  return html`
    <section class="lab-text" aria-label=${t('labEditor', file)}>
      <div class="buttons">
        <h1>${file}</h1>
        ${lab.profile && html`<span class="small">${t('labProfile', lab.profile)}</span>`}
        <span class="grow"></span>
        <span class="tabs" role="group" aria-label=${t('tabs')}>
          ${tabButton('text', 'tabText')}${tabButton('diff', 'tabDiff')}
        </span>
        <button
          type="button"
          class="quiet"
          title=${t('undoAll')}
          aria-label=${t('undoAll')}
          disabled=${!state.canUndo}
          onClick=${() => lab.do(() => lab.undo(-1))}
        >
          ↶
        </button>
        <button
          type="button"
          class="quiet"
          title=${t('redoAll')}
          aria-label=${t('redoAll')}
          disabled=${!state.canRedo}
          onClick=${() => lab.do(() => lab.undo(1))}
        >
          ↷
        </button>
      </div>
      <div class="buttons">
        <button
          type="button"
          class="strong"
          disabled=${!session}
          onClick=${() => lab.saveAndCheck().catch(lab.showError)}
        >
          ${t('labSave')}
        </button>
        <button type="button" disabled=${!isOwn || file === 'variant.lp'} onClick=${() => lab.do(() => lab.revert())}>
          ${t('labRevert')}
        </button>
        <p class=${`status small ${state.hasErrors ? 'broken' : ''}`} role="status">${state.status}</p>
      </div>
      <div class="lab-editor" ref=${editorHost} hidden=${tab !== 'text'}></div>
      ${tab === 'diff' && session && html`<${DiffView} lab=${lab} state=${state} />`}
      <${ProblemList} problems=${state.problems} open=${(...place) => lab.openFile(...place).catch(lab.showError)} />
      <p class="small keys"><${KeyText} text=${t('labKeys')} /></p>
    </section>
  `;
}
