// Component ReportContent: question, figures, tables and command of a report.
import { Chart } from '../chart/chart.js';
import { html } from '../html.js';
import { saveFile } from '../save_file.js';
import { t } from '../words.js';
import { DataGrid } from './data_grid.js';

export function ReportContent({ report, name }) {
  return html`
    <p>${report.summary}</p>
    ${
      report.missing &&
      html`
        <p>
          <b>${t('reportPart', report.missing)}</b>
        </p>
      `
    }
    ${report.plots.map((plot) => html`<${Chart} key=${plot.name} plot=${plot} name=${`${name}-${plot.name}`} />`)}
    ${report.tables.length > 0 && html`<h2>${t('tablesBehind')}</h2>`}
    ${report.tables.map(
      (table) => html`
        <details key=${table.name}>
          <summary>${table.title || table.name} <span class="small">(${table.rows.length})</span></summary>
          <${DataGrid}
            caption=${table.title || table.name}
            name=${`${name}-${table.name}`}
            columns=${table.columns}
            rows=${table.rows}
          />
          ${table.note && html`<p class="small">${table.note}</p>`}
        </details>
      `,
    )}
    <p>
      <button
        type="button"
        class="quiet"
        aria-label=${t('saveAs', name, 'JSON')}
        onClick=${() => saveFile(`${name}.json`, JSON.stringify(report, null, 1), 'application/json')}
      >
        JSON
      </button>
    </p>
    ${
      report.command &&
      html`
        <p class="small command">
          ${t('reportCommand')}: <code>${report.command}</code>
        </p>
      `
    }
  `;
}
