// Component TableList: the tables of this page by what they do; those that nobody uses are folded.
import { html } from '../html.js';
import { t } from '../words.js';
import { TableGrid } from './table_grid.js';
import { groupTables } from './table_groups.js';

export function TableList({ tables }) {
  const { used, idle } = groupTables(tables);
  return html`
    <section class="panel">
      <h2>${t('tablesHere')}</h2>
      ${used.length ? html`<${TableGrid} tables=${used} caption=${t('tablesHere')} />` : html`<p>${t('noTables')}</p>`}
      ${
        idle.length > 0 &&
        html`
          <details>
            <summary>${t('idleTables', idle.length)}</summary>
            <${TableGrid} tables=${idle} caption=${t('idleTables', idle.length)} />
          </details>
        `
      }
    </section>
  `;
}
