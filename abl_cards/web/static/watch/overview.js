// Component Overview: open tables, training runs, reports and match results.
import { Graph } from '../graph.js';
import { html, useEffect, useState } from '../html.js';
import { ask } from '../link.js';
import { say } from '../settings.js';
import { t } from '../words.js';
import { secondsSince } from './age.js';
import { Report } from './report.js';

const rateText = (number) => `${(100 * number).toFixed(1)}%`;

export function Overview() {
  const [report, setReport] = useState('');
  const [told, setTold] = useState(null);
  const [name, setName] = useState('');
  const [run, setRun] = useState(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const look = () =>
      ask('/api/watch').then(
        (found) => {
          setTold(found);
          setProblem('');
        },
        (error) => setProblem(error.message),
      );
    look();
    const timer = setInterval(look, 3000);
    return () => clearInterval(timer);
  }, []);
  const chosen = name || told?.runs[0] || '';
  useEffect(() => {
    if (!chosen) return undefined;
    const look = () =>
      ask(`/api/runs?name=${encodeURIComponent(chosen)}`).then(setRun, (error) => setProblem(error.message));
    look();
    const timer = setInterval(look, 5000);
    return () => clearInterval(timer);
  }, [chosen]);
  if (!told) return html`<p class="wait">${problem || t('connecting')}</p>`;
  const agents = [...new Set(told.matches.flatMap((each) => each.agents))];
  const cell = (one, two) => {
    const found = told.matches.find((each) => each.agents[0] === one && each.agents[1] === two);
    const other = told.matches.find((each) => each.agents[0] === two && each.agents[1] === one);
    return found
      ? `${rateText(found.rate)} (${rateText(found.low)}–${rateText(found.high)})`
      : other
        ? `${rateText(1 - other.rate)} (${rateText(1 - other.high)}–${rateText(1 - other.low)})`
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
      <section class="panel">
        <h1>${t('tablesHere')}</h1>
        ${
          told.tables.length
            ? html`
              <ul class="list">
                ${told.tables.map(
                  (each) => html`
                    <li key=${each.table}>
                      <b>${say(each.title)}</b> ${each.players.join(' · ')}${' '}
                      <span class="small">${t('episode', each.episode + 1)}</span>${' '}
                      <a href=${`#/play/${each.table}/${each.watch}`}>${t('lookOn')}</a>
                    </li>
                  `,
                )}
              </ul>
            `
            : html`
              <p>${t('noTables')}</p>
            `
        }
      </section>
      ${
        told.served.length > 0 &&
        html`
          <section class="panel">
            <h2>${t('servedHere')}</h2>
            <ul class="list">
              ${told.served.map(
                (each) => html`
                  <li key=${each.name}>
                    <b>${say(each.title)}</b> ${each.players.join(' · ')}
                    <span class="small">
                      ${
                        each.over
                          ? t('servedOver')
                          : `${t('episode', each.episode + 1)}, ${t('servedAgo', secondsSince(each.written))}`
                      }
                    </span>${' '}
                    <a href=${`#/watch/served/${encodeURIComponent(each.name)}`}>${t('lookOn')}</a>
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
          told.runs.length
            ? html`
              <label>
                ${t('runsHere')}${' '}
                <select value=${chosen} onChange=${(event) => setName(event.target.value)}>
                  ${told.runs.map(
                    (each) => html`
                      <option key=${each} value=${each}>
                        ${each}
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
                  at=${run.points - 1}
                  go=${() => {}}
                />
              `,
            )}
          `
        }
      </section>
      ${
        told.reports.length > 0 &&
        html`
          <section class="panel">
            <h2>${t('reportsHere')}</h2>
            <label>
              ${t('reportsHere')}${' '}
              <select value=${report || told.reports[0]} onChange=${(event) => setReport(event.target.value)}>
                ${told.reports.map(
                  (each) => html`
                    <option key=${each} value=${each}>
                      ${each}
                    </option>
                  `,
                )}
              </select>
            </label>
            <${Report} key=${report || told.reports[0]} name=${report || told.reports[0]} />
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
                      (each) => html`
                        <th scope="col" key=${each}>
                          ${each}
                        </th>
                      `,
                    )}
                  </tr>
                </thead>
                <tbody>
                  ${agents.map(
                    (one) => html`
                      <tr key=${one}>
                        <th scope="row">${one}</th>
                        ${agents.map(
                          (two) => html`
                            <td key=${two}>${one === two ? '–' : cell(one, two)}</td>
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
