// Component DataGrid: a table of numbers with caption, and its values as CSV.
import { csvText } from '../chart/table_data.js';
import { html } from '../html.js';
import { saveFile } from '../save_file.js';
import { t } from '../words.js';

// A number with its digits; a column of whole numbers has none.
function cellText(cell, isWhole) {
  if (cell == null) return '–';
  if (typeof cell !== 'number') return cell;
  if (isWhole) return cell.toLocaleString('en');
  return (
    Math.abs(cell) >= 100
      ? cell.toFixed(1)
      : Math.abs(cell) >= 0.1 || cell === 0
        ? cell.toFixed(3)
        : cell.toPrecision(3)
  ).replace('-', '−');
}

export function DataGrid({ columns, rows, caption, name }) {
  const numbers = columns.map((_, index) => rows.map((row) => row[index]).filter((cell) => typeof cell === 'number'));
  const isNumeric = columns.map(
    (_, index) => numbers[index].length > 0 && rows.every((row) => typeof row[index] !== 'string'),
  );
  const isWhole = numbers.map((cells) => cells.every(Number.isInteger));
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
      <table class="grid">
        <caption>${caption}</caption>
        <thead>
          <tr>
            ${columns.map(
              (column, index) => html`
                <th scope="col" key=${index} class=${isNumeric[index] ? 'number' : ''}>
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
                    <td key=${index} class=${isNumeric[index] ? 'number' : ''}>${cellText(cell, isWhole[index])}</td>
                  `,
                )}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
    ${
      name &&
      html`
        <button
          type="button"
          class="quiet"
          aria-label=${t('saveAs', caption, 'CSV')}
          onClick=${() => saveFile(`${name}.csv`, csvText([columns, ...rows]), 'text/csv')}
        >
          CSV
        </button>
      `
    }
  `;
}
