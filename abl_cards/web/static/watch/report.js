// Component Report: figures and tables of an experiment.
import { html } from '../html.js';
import { t } from '../words.js';
import { Problem } from './problem.js';
import { ReportContent } from './report_content.js';
import { usePoll } from './use_poll.js';

export function Report({ name }) {
  const [report, problem] = usePoll(`/api/reports?name=${encodeURIComponent(name)}`, 10);
  const last = name.split('/').pop();
  return html`
    <article class="opener report">
      <p><a href="#/watch">${t('allExperiments')}</a></p>
      <h1>${last.replaceAll('_', ' ')}</h1>
      <${Problem} text=${problem} />
      ${
        report
          ? html`
        <${ReportContent} report=${report} name=${last} />`
          : !problem &&
            html`<p
          class="wait">${t('connecting')}</p>`
      }
    </article>
  `;
}
