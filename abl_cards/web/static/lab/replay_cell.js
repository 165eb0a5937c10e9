// Component ReplayCell: records that are played again under the edited rules.
import { html } from '../html.js';
import { t } from '../words.js';

export function ReplayCell({ cell, result, lab, isStatic }) {
  const choose = async (event) => {
    const [file] = event.target.files;
    event.target.value = '';
    if (file) await lab.run(cell.id, { file });
  };
  return html`
    ${
      !isStatic &&
      html`
        <label>
          <span class="small">${t('replayFile')}</span>${' '}
          <input type="file" accept=".jsonl,.json,.txt" onChange=${choose} />
        </label>
      `
    }
    ${
      result &&
      html`
        <p>${result.name}${t('colon')}${t('labReplayed', result.episodes, result.plays, result.different)}</p>
        <ul class="problems">
          ${result.first.map((entry, index) => html`<li key=${index}>${entry.line}: ${entry.text}</li>`)}
        </ul>
      `
    }
  `;
}
