// Component DataGrid: a table of numbers with caption.
import { html } from '../html.js';

export const cellText = (cell) =>
  cell == null ? '–' : typeof cell === 'number' ? (Number.isInteger(cell) ? String(cell) : cell.toFixed(3)) : cell;

export function DataGrid({ columns, rows, caption }) {
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
      <table class="grid">
        <caption>${caption}</caption>
        <thead>
          <tr>
            ${columns.map(
              (column, index) => html`
                <th scope="col" key=${index}>
                  ${column}
                </th>
              `,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row, index) => html`
              <tr key=${index}>
                ${row.map(
                  (cell, index) => html`
                    <td key=${index}>${cellText(cell)}</td>
                  `,
                )}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}
