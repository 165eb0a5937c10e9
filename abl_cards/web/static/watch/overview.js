// Component Overview: open tables, training runs, reports and match results.
import { Graph } from '../graph.js';
import { html, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { secondsSince } from './age.js';
import { Report } from './report.js';
import { TableList } from './table_list.js';

const rateText = (number) => `${(100 * number).toFixed(1)}%`;

export function Overview() {
  const [report, setReport] = useState('');
  const [summary, setSummary] = useState(null);
  const [name, setName] = useState('');
  const [run, setRun] = useState(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const poll = () =>
      request('/api/watch').then(
        (response) => {
          setSummary(response);
          setProblem('');
        },
        (error) => setProblem(error.message),
      );
    poll();
    const timer = setInterval(poll, 3000);
    return () => clearInterval(timer);
  }, []);
  const selected = name || summary?.runs[0] || '';
  useEffect(() => {
    if (!selected) return undefined;
    const poll = () =>
      request(`/api/runs?name=${encodeURIComponent(selected)}`).then(setRun, (error) => setProblem(error.message));
    poll();
    const timer = setInterval(poll, 5000);
    return () => clearInterval(timer);
  }, [selected]);
  if (!summary) return html`<p class="wait">${problem || t('connecting')}</p>`;
  const agents = [...new Set(summary.matches.flatMap((match) => match.agents))];
  const cell = (rowAgent, columnAgent) => {
    const match = summary.matches.find((match) => match.agents[0] === rowAgent && match.agents[1] === columnAgent);
    const reversed = summary.matches.find((match) => match.agents[0] === columnAgent && match.agents[1] === rowAgent);
    return match
      ? `${rateText(match.rate)} (${rateText(match.low)}–${rateText(match.high)})`
      : reversed
        ? `${rateText(1 - reversed.rate)} (${rateText(1 - reversed.high)}–${rateText(1 - reversed.low)})`
        : '';
  };
  return html`
    <div class="opener">
      ${
        problem &&
        html`
          <p class="problem" role="alert">
            ${problem}
          </p>
        `
      }
      <${TableList} tables=${summary.tables} />
      ${
        summary.served.length > 0 &&
        html`
          <section class="panel">
            <h2>${t('servedHere')}</h2>
            <ul class="list">
              ${summary.served.map(
                (table) => html`
                  <li key=${table.name}>
                    <b>${localise(table.title)}</b> ${table.players.join(' · ')}
                    <span class="small">
                      ${
                        table.over
                          ? t('servedOver')
                          : `${t('episode', table.episode + 1)}, ${t('servedAgo', secondsSince(table.written))}`
                      }
                    </span>${' '}
                    <a href=${`#/watch/served/${encodeURIComponent(table.name)}`}>${t('lookOn')}</a>
                  </li>
                `,
              )}
            </ul>
          </section>
        `
      }
      <section class="panel runs">
        <h2>${t('runsHere')}</h2>
        ${
          summary.runs.length
            ? html`
              <label>
                ${t('runsHere')}${' '}
                <select value=${selected} onChange=${(event) => setName(event.target.value)}>
                  ${summary.runs.map(
                    (run) => html`
                      <option key=${run} value=${run}>
                        ${run}
                      </option>
                    `,
                  )}
                </select>
              </label>
            `
            : html`
              <p class="small">${t('noRuns')}</p>
            `
        }
        ${
          run &&
          html`
            <p class="small">${t('rowsOf', run.rows)}</p>
            ${Object.entries(run.columns).map(
              ([column, points]) => html`
                <${Graph}
                  key=${column}
                  label=${column}
                  length=${run.points}
                  zero=${false}
                  lines=${[{ name: column, points }]}
                  current=${run.points - 1}
                  onSelect=${() => {}}
                />
              `,
            )}
          `
        }
      </section>
      ${
        summary.reports.length > 0 &&
        html`
          <section class="panel">
            <h2>${t('reportsHere')}</h2>
            <label>
              ${t('reportsHere')}${' '}
              <select value=${report || summary.reports[0]} onChange=${(event) => setReport(event.target.value)}>
                ${summary.reports.map(
                  (report) => html`
                    <option key=${report} value=${report}>
                      ${report}
                    </option>
                  `,
                )}
              </select>
            </label>
            <${Report} key=${report || summary.reports[0]} name=${report || summary.reports[0]} />
          </section>
        `
      }
      ${
        agents.length > 0 &&
        html`
          <section class="panel">
            <h2>${t('matchesHere')}</h2>
            <div class="scroll" tabindex="0" role="region" aria-label=${t('matchesHere')}>
              <table class="grid">
                <caption>${t('rowWins')}</caption>
                <thead>
                  <tr>
                    <td></td>
                    ${agents.map(
                      (agent) => html`
                        <th scope="col" key=${agent}>
                          ${agent}
                        </th>
                      `,
                    )}
                  </tr>
                </thead>
                <tbody>
                  ${agents.map(
                    (rowAgent) => html`
                      <tr key=${rowAgent}>
                        <th scope="row">${rowAgent}</th>
                        ${agents.map(
                          (columnAgent) => html`
                            <td key=${columnAgent}>${rowAgent === columnAgent ? '–' : cell(rowAgent, columnAgent)}</td>
                          `,
                        )}
                      </tr>
                    `,
                  )}
                </tbody>
              </table>
            </div>
          </section>
        `
      }
    </div>
  `;
}
