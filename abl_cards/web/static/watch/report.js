// Component Report: tables and plots of an experiment.
import { html, useEffect, useState } from '../html.js';
import { ask } from '../link.js';
import { t } from '../words.js';
import { DataGrid } from './data_grid.js';
import { Plot } from './plot.js';

export function Report({ name }) {
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let gone = false;
    const look = () =>
      ask(`/api/reports?name=${encodeURIComponent(name)}`).then(
        (told) => {
          if (!gone) {
            setFound(told);
            setProblem('');
          }
        },
        (error) => gone || setProblem(error.message),
      );
    look();
    const timer = setInterval(look, 10000);
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, [name]);
  if (!found) return html`<p class="wait">${problem || t('connecting')}</p>`;
  return html`
    <article class="report">
      <h3>${found.experiment || found.name}</h3>
      ${
        problem &&
        html`
          <p class="problem" role="alert">
            ${problem}
          </p>
        `
      }
      ${
        found.missing &&
        html`
          <p>
            <b>${t('reportPart', found.missing)}</b>
          </p>
        `
      }
      ${found.tables.map(
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
      ${found.plots.map(
        (plot) => html`
          <${Plot} key=${plot.name} plot=${plot} />
        `,
      )}
      ${
        found.command &&
        html`
          <p class="small">
            ${t('reportCommand')}: <code>${found.command}</code>
          </p>
        `
      }
    </article>
  `;
}
