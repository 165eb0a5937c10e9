// Component CloseTable: button of the owner that closes a table for everybody, after a question.
import { html, useState } from '../html.js';
import { t } from '../words.js';
import { closeDialog } from './open_dialog.js';

export function CloseTable({ link }) {
  const [isAsked, setIsAsked] = useState(false);
  const close = () => {
    closeDialog('invite');
    link.send({ do: 'close' });
  };
  return html`
    <p class="buttons">
      ${
        isAsked
          ? html`
            <span role="status">${t('closeTableSure')}</span>${' '}
            <button type="button" class="strong" onClick=${close}>
              ${t('closeTable')}
            </button>${' '}
            <button type="button" onClick=${() => setIsAsked(false)}>
              ${t('cancel')}
            </button>
          `
          : html`
            <button type="button" onClick=${() => setIsAsked(true)}>
              ${t('closeTable')}
            </button>
          `
      }
    </p>
  `;
}
