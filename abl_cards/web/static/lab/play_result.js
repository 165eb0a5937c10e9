// Component PlayResult: the tables that were opened by these rules.
import { html } from '../html.js';
import { t } from '../words.js';

export function PlayResult({ result, isStatic }) {
  return html`
    <ol>
      ${result.tables.map(
        (table) => html`
          <li key=${table.table}>
            ${
              isStatic ? t('playTable') : html`<a href=${`#/play/${table.table}/${table.token}`}>${t('playTable')}</a>`
            }${' '}
            <span class="small">${t('textVersion', table.version)} · ${new Date(table.time).toLocaleString()}</span>
          </li>
        `,
      )}
    </ol>
  `;
}
