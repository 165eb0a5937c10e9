// The section Watch: open tables, runs that grow, and matches as a matrix.
import { html, useState, useEffect } from './html.js';
import { ask } from './link.js';
import { t, add } from './words.js';
import { say } from './settings.js';
import { Graph } from './graph.js';

add({
  tablesHere: ['Tables of this page', '本页的牌桌'], noTables: ['No table is open.', '没有开着的牌桌。'], lookOn: ['look on', '观战'],
  runsHere: ['Runs', '训练'], noRuns: ['No runs: start the page with --watch and a folder.', '没有训练：启动时用 --watch 指定文件夹。'], rowsOf: ['{} lines', '{}行'],
  matchesHere: ['Matches', '对局结果'], rowWins: ['share of the games that the agent of the row wins, with its 95 % interval', '行中智能体的胜率及95%区间'],
});

const share = (number) => `${(100 * number).toFixed(1)}%`;

export function Section() {
  const [told, hear] = useState(null);
  const [name, choose] = useState('');
  const [run, show] = useState(null);
  const [problem, trouble] = useState('');
  useEffect(() => {
    const look = () => ask('/api/watch').then((found) => { hear(found); trouble(''); }, (error) => trouble(error.message));
    look();
    const timer = setInterval(look, 3000);
    return () => clearInterval(timer);
  }, []);
  const chosen = name || told?.runs[0] || '';
  useEffect(() => {
    if (!chosen) return undefined;
    const look = () => ask(`/api/runs?name=${encodeURIComponent(chosen)}`).then(show, (error) => trouble(error.message));
    look();
    const timer = setInterval(look, 5000);
    return () => clearInterval(timer);
  }, [chosen]);
  if (!told) return html`<p class="wait">${problem || t('connecting')}</p>`;
  const agents = [...new Set(told.matches.flatMap((each) => each.agents))];
  const cell = (one, two) => {
    const found = told.matches.find((each) => each.agents[0] === one && each.agents[1] === two);
    const other = told.matches.find((each) => each.agents[0] === two && each.agents[1] === one);
    return found ? `${share(found.rate)} (${share(found.low)}–${share(found.high)})` : other ? `${share(1 - other.rate)} (${share(1 - other.high)}–${share(1 - other.low)})` : '';
  };
  return html`<div class="opener">${problem && html`<p class="problem" role="alert">${problem}</p>`}
    <section class="panel"><h1>${t('tablesHere')}</h1>
      ${told.tables.length ? html`<ul class="list">${told.tables.map((each) => html`<li key=${each.table}><b>${say(each.title)}</b> ${each.players.join(' · ')} <span class="small">${t('episode', each.episode + 1)}</span> <a href=${`#/play/${each.table}/${each.watch}`}>${t('lookOn')}</a></li>`)}</ul>` : html`<p>${t('noTables')}</p>`}</section>
    <section class="panel runs"><h2>${t('runsHere')}</h2>
      ${told.runs.length ? html`<label>${t('runsHere')} <select value=${chosen} onChange=${(event) => choose(event.target.value)}>${told.runs.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}</select></label>` : html`<p class="small">${t('noRuns')}</p>`}
      ${run && html`<p class="small">${t('rowsOf', run.rows)}</p>${Object.entries(run.columns).map(([column, points]) => html`<${Graph} key=${column} label=${column} length=${run.points} zero=${false} lines=${[{ name: column, points }]} at=${run.points - 1} go=${() => {}} />`)}`}</section>
    ${agents.length > 0 && html`<section class="panel"><h2>${t('matchesHere')}</h2><div class="scroll" tabindex="0" role="region" aria-label=${t('matchesHere')}><table class="grid"><caption>${t('rowWins')}</caption>
      <thead><tr><td></td>${agents.map((each) => html`<th scope="col" key=${each}>${each}</th>`)}</tr></thead>
      <tbody>${agents.map((one) => html`<tr key=${one}><th scope="row">${one}</th>${agents.map((two) => html`<td key=${two}>${one === two ? '–' : cell(one, two)}</td>`)}</tr>`)}</tbody></table></div></section>`}
  </div>`;
}
