// Component RunPage: the curves of a training run, drawn while they grow.
import { Chart } from '../chart/chart.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { Problem } from './problem.js';
import { usePoll } from './use_poll.js';

export function RunPage({ name }) {
  const [run, problem] = usePoll(`/api/runs?name=${encodeURIComponent(name)}`, 5);
  return html`
    <article class="opener report">
      <p><a href="#/watch">${t('allExperiments')}</a></p>
      <h1>${name}</h1>
      <${Problem} text=${problem} />
      ${
        run
          ? html`
            <p class="small">${t('rowsOf', run.rows)}</p>
            ${run.plots.map(
              (plot) => html`
              <${Chart} key=${plot.name} plot=${plot}
                name=${`${name}-${plot.name}`.replaceAll('/', '-')} />`,
            )}
          `
          : html`<p class="wait">${t('connecting')}</p>`
      }
    </article>
  `;
}
