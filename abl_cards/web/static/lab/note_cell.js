// Component NoteCell: text of the author between the results.
import { html } from '../html.js';
import { t } from '../words.js';

const MAX_LETTERS = 8000;

export function NoteCell({ cell, lab, isStatic }) {
  const { text } = cell.options;
  if (isStatic) return text.split(/\n{2,}/).map((part, index) => html`<p key=${index} class="note">${part}</p>`);
  return html`
    <textarea
      class="note"
      rows=${Math.min(16, Math.max(2, text.split('\n').length + 1))}
      maxlength=${MAX_LETTERS}
      aria-label=${t('cell_note')}
      placeholder=${t('about_note')}
      value=${text}
      onInput=${(event) => lab.setCell(cell.id, { options: { text: event.target.value } })}
    ></textarea>
  `;
}
