// Component Report: tables and plots of an experiment.
import { html, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { t } from '../words.js';
import { DataGrid } from './data_grid.js';
import { Plot } from './plot.js';

export function Report({ name }) {
  const [report, setReport] = useState(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let stopped = false;
    const poll = () =>
      request(`/api/reports?name=${encodeURIComponent(name)}`).then(
        (response) => {
          if (!stopped) {
            setReport(response);
            setProblem('');
          }
        },
        (error) => stopped || setProblem(error.message),
      );
    poll();
    const timer = setInterval(poll, 10000);
    return () => {
      stopped = true;
      clearInterval(timer);
    };
  }, [name]);
  if (!report) return html`<p class="wait">${problem || t('connecting')}</p>`;
  return html`
    <article class="report">
      <h3>${report.experiment || report.name}</h3>
      ${
        problem &&
        html`
          <p class="problem" role="alert">
            ${problem}
          </p>
        `
      }
      ${
        report.missing &&
        html`
          <p>
            <b>${t('reportPart', report.missing)}</b>
          </p>
        `
      }
      ${report.tables.map(
        (table) => html`
          <${DataGrid}
            key=${table.name}
            caption=${table.title || table.name}
            columns=${table.columns}
            rows=${table.rows}
          />
          ${table.note && html`<p class="small">${table.note}</p>`}
        `,
      )}
      ${report.plots.map(
        (plot) => html`
          <${Plot} key=${plot.name} plot=${plot} />
        `,
      )}
      ${
        report.command &&
        html`
          <p class="small">
            ${t('reportCommand')}: <code>${report.command}</code>
          </p>
        `
      }
    </article>
  `;
}
