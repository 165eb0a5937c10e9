// Component TableGrid: tables of this page in a grid
import { html } from '../html.js';
import { t } from '../words.js';
import { TableRow } from './table_row.js';

export function TableGrid({ tables, caption }) {
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
      <table class="grid table-list">
        <thead>
          <tr>
            ${['game', 'seats', 'dealColumn', 'stateColumn', 'lookingColumn'].map(
              (word) => html`<th scope="col" key=${word}>${t(word)}</th>`,
            )}
            <td></td>
          </tr>
        </thead>
        <tbody>
          ${tables.map((table) => html`<${TableRow} key=${table.table} table=${table} />`)}
        </tbody>
      </table>
    </div>
  `;
}
