// The section Watch: open tables, runs that grow, and matches as a matrix.
import { html, useState, useEffect } from './html.js';
import { ask, NOBODY } from './link.js';
import { t, add } from './words.js';
import { say } from './settings.js';
import { Graph } from './graph.js';
import { Table } from './table.js';

add({
  tablesHere: ['Tables of this page', '本页的牌桌'],
  noTables: ['No table is open.', '没有开着的牌桌。'],
  lookOn: ['look on', '观战'],
  runsHere: ['Runs', '训练'],
  noRuns: ['No runs: start the page with --watch and a folder.', '没有训练：启动时用 --watch 指定文件夹。'],
  rowsOf: ['{} lines', '{}行'],
  matchesHere: ['Matches', '对局结果'],
  rowWins: ['share of the games that the agent of the row wins, with its 95 % interval', '行中智能体的胜率及95%区间'],
});

add({
  servedHere: ['Tables that are served', '服务中的牌桌'],
  servedAgo: ['last change {} s ago', '最近变化在{}秒前'],
  servedOver: ['over', '已结束'],
  servedAll: ['All tables', '全部牌桌'],
  reportsHere: ['Reports of experiments', '实验报告'],
  reportPart: ['A part; not measured yet: {}', '尚不完整，还没有测量：{}'],
  reportOpen: ['open', '打开'],
  reportCommand: ['measured by', '测量命令'],
});

const share = (number) => `${(100 * number).toFixed(1)}%`;

const told_ = (cell) =>
  cell == null ? '–' : typeof cell === 'number' ? (Number.isInteger(cell) ? String(cell) : cell.toFixed(3)) : cell;

function Rows({ columns, rows, caption }) {
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
      <table class="grid">
        <caption>${caption}</caption>
        <thead>
          <tr>
            ${columns.map(
              (each, place) => html`
                <th scope="col" key=${place}>
                  ${each}
                </th>
              `,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row, number) => html`
              <tr key=${number}>
                ${row.map(
                  (cell, place) => html`
                    <td key=${place}>${told_(cell)}</td>
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

const STEPS = 200;

// A plot of a report, from its numbers: lines, values with intervals, or a number for each pair.
function Plot({ plot }) {
  if (plot.kind === 'lines') {
    const all = Object.values(plot.lines)
      .flat()
      .map(([x]) => x);
    const low = Math.min(...all),
      wide = Math.max(...all) - low || 1;
    const lines = Object.entries(plot.lines).map(([name, points]) => ({
      name,
      points: points.map(([x, value]) => [((x - low) / wide) * (STEPS - 1), value]),
    }));
    return html`
      <figure>
        <figcaption>
          ${plot.title}${' '}
          <span class="small">
            ${plot.across} ${low} – ${low + wide} · ${plot.up}
          </span>
        </figcaption>
        <${Graph} label=${plot.title} length=${STEPS} zero=${false} lines=${lines} at=${0} go=${() => {}} />
      </figure>
    `;
  }
  if (plot.kind === 'bars') {
    const ends = Object.values(plot.bars).flat();
    const low = Math.min(...ends),
      wide = Math.max(...ends) - low || 1;
    const x = (value) => 4 + (292 * (value - low)) / wide;
    return html`
      <figure>
        <figcaption>
          ${plot.title} <span class="small">${plot.across}</span>
        </figcaption>
        <table class="grid">
          <tbody>
            ${Object.entries(plot.bars).map(
              ([name, [value, from, to]]) => html`
                <tr key=${name}>
                  <th scope="row">${name}</th>
                  <td>
                    <svg class="bar" viewBox="0 0 300 14" aria-hidden="true">
                      <line class="line line0" x1=${x(from)} x2=${x(to)} y1="7" y2="7" />
                      <circle class="mark" cx=${x(value)} cy="7" r="4" />
                    </svg>
                  </td>
                  <td>
                    ${told_(value)}${' '}
                    <span class="small">
                      ${told_(from)} – ${told_(to)}
                    </span>
                  </td>
                </tr>
              `,
            )}
          </tbody>
        </table>
      </figure>
    `;
  }
  return html`
    <${Rows}
      caption=${plot.title}
      columns=${['', ...plot.columns]}
      rows=${plot.values.map((row, number) => [plot.rows[number], ...row])}
    />
  `;
}

function Report({ name }) {
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
          <${Rows} key=${table.name} caption=${table.title || table.name} columns=${table.columns} rows=${table.rows} />
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

const ago = (written) => Math.max(0, Math.round(Date.now() / 1000 - written));
const STILL = 10;

// A table that is served elsewhere: a picture after the other.
function Served({ name }) {
  const [told, setTold] = useState(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let gone = false,
      timer = 0;
    const look = () =>
      ask(`/api/served?name=${encodeURIComponent(name)}`)
        .then(
          (found) => {
            if (!gone) {
              setTold(found);
              setProblem('');
            }
          },
          (error) => gone || setProblem(error.message),
        )
        .finally(() => {
          if (!gone) timer = setTimeout(look, 500);
        });
    look();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [name]);
  const still = told && told.seen.phase !== 'over' && ago(told.written) > STILL;
  return html`
    <p class="middle">
      <a href="#/watch">${t('servedAll')}</a>
    </p>
    ${
      problem &&
      html`
        <p class="problem" role="alert">
          ${problem}
        </p>
      `
    }
    ${
      told
        ? html`
          <${Table}
            seen=${told.seen}
            welcome=${told.welcome}
            link=${NOBODY}
            lost=${still ? t('servedAgo', ago(told.written)) : ''}
            trouble=${setProblem}
          />
        `
        : html`
          <p class="wait">${problem ? '' : t('connecting')}</p>
        `
    }
  `;
}

export function Section({ rest }) {
  const [what, name] = rest;
  return what === 'served' && name
    ? html`<${Served} key=${name} name=${decodeURIComponent(name)} />`
    : html`<${Overview} />`;
}

function Overview() {
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
      ? `${share(found.rate)} (${share(found.low)}–${share(found.high)})`
      : other
        ? `${share(1 - other.rate)} (${share(1 - other.high)}–${share(1 - other.low)})`
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
                          : `${t('episode', each.episode + 1)}, ${t('servedAgo', ago(each.written))}`
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
