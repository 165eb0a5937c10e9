// Component Overview: open tables, reports of experiments, ladders and training runs.
import { html } from '../html.js';
import { t } from '../words.js';
import { Gallery } from './gallery.js';
import { Ladders } from './ladders.js';
import { OpenTables } from './open_tables.js';
import { Problem } from './problem.js';
import { Runs } from './runs.js';
import { usePoll } from './use_poll.js';

// Text that changes when a report does.
const versionOf = (reports) => reports.reduce((latest, report) => Math.max(latest, report.written), reports.length);

export function Overview() {
  const [summary, problem] = usePoll('/api/watch', 3);
  if (!summary) return html`<p class="wait">${problem || t('connecting')}</p>`;
  const { reports, runs, matches, tables, served } = summary;
  const isEmpty = !reports.length && !runs.length && !matches.length;
  return html`
    <div class="opener gallery">
      <${Problem} text=${problem} />
      <h1>${t('watch')}</h1>
      ${isEmpty && html`<p>${t('noExperiments')} <code>abl-cards web --watch runs</code></p>`}
      ${
        reports.length > 0 &&
        html`
          <section class="panel">
            <h2>${t('reportsHere')}</h2>
            <${Gallery} version=${versionOf(reports)} />
          </section>
        `
      }
      ${
        (reports.length > 0 || matches.length > 0) &&
        html`
        <${Ladders} version=${versionOf(reports) + matches.length} />`
      }
      ${
        runs.length > 0 &&
        html`
          <section class="panel">
            <h2>${t('runsHere')}</h2>
            <${Runs} runs=${runs} />
          </section>
        `
      }
      <${OpenTables} tables=${tables} served=${served} />
    </div>
  `;
}
