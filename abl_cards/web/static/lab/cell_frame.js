// Component CellFrame: a cell with its heading, options, buttons and keys, and its result in place.
import { announce } from '../announce.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { CellBody } from './cell_body.js';
import { CellOptions } from './cell_options.js';
import { isRunning, isStale, KINDS, moveCell, removeCell } from './notebook.js';
import { problemText } from './problem_text.js';
import { RUNNERS } from './runners.js';

export function CellFrame({ cell, number, count, lab, state, language, focusAt }) {
  const kind = KINDS[cell.kind];
  const title = t(`cell_${cell.kind}`);
  const running = isRunning(cell);
  const stale = !running && isStale(cell, lab.stamp);
  const canRun = Boolean(RUNNERS[cell.kind]) && !kind.hasFile;
  const run = () => canRun && lab.run(cell.id);
  const remove = () => {
    lab.setCells(removeCell(lab.state.cells, cell.id));
    announce(t('cellRemoved', title));
    focusAt(number - 1);
  };
  const move = (step) => {
    lab.setCells(moveCell(lab.state.cells, cell.id, step));
    const place = Math.min(count, Math.max(1, number + step));
    announce(t('cellMoved', title, place, count));
    focusAt(place - 1);
  };
  const onKeyDown = (event) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return;
    const keys = {
      ArrowUp: () => (event.altKey ? move(-1) : focusAt(number - 2)),
      ArrowDown: () => (event.altKey ? move(1) : focusAt(number)),
      Enter: run,
      Delete: remove,
    };
    if (!keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  };
  const button = (text, label, act, isEnabled = true) => html`
    <button
      type="button"
      class="quiet"
      title=${label}
      aria-label=${`${label}${t('colon')}${number} ${title}`}
      disabled=${!isEnabled}
      onClick=${act}
    >
      ${text}
    </button>
  `;
  return html`
    <li>
      <article
        class=${`cell cell-${cell.kind} ${stale ? 'stale' : ''}`}
        tabindex="0"
        data-status=${running ? cell.status : stale ? 'stale' : cell.status || (cell.result ? 'done' : 'new')}
        aria-label=${`${number} ${title}`}
        aria-busy=${running}
        onKeyDown=${onKeyDown}
      >
        <header>
          <h3><span class="number">${number}</span> ${title}</h3>
          <${CellOptions} cell=${cell} change=${(options) => lab.setCell(cell.id, { options })} />
          <span class="grow"></span>
          <span class="acts">${
            running
              ? html`
                <button type="button" onClick=${() => lab.stop(cell.id)}>
                  ${t('workStop')}
                </button>
              `
              : canRun && button(cell.result ? '↻' : '▶', t(cell.result ? 'cellAgain' : 'cellRun'), run)
          }
          ${button('↑', t('cellUp'), () => move(-1), number > 1)}
          ${button('↓', t('cellDown'), () => move(1), number < count)} ${button('✕', t('cellRemove'), remove)}</span>
        </header>
        ${
          running &&
          html`
            <p class="running" role="status">
              <progress max=${cell.progress?.[1] || 1} value=${cell.progress?.[1] ? cell.progress[0] : undefined}>
              </progress>${' '}
              ${cell.progress?.[1] ? t('outOf', cell.progress[0], cell.progress[1]) : t('workWaits')}
            </p>
          `
        }
        ${stale && html`<p class="stale-note small">${t(state.hasErrors ? 'cellLastValid' : 'cellStale')}</p>`}
        ${cell.status === 'stopped' && html`<p class="small">${t('workStopped')}</p>`}
        ${
          cell.problem &&
          html`
            <p class="problem" role="alert" title=${cell.problem.text}>
              ${problemText(cell.problem)}
            </p>
          `
        }
        <${CellBody} cell=${cell} lab=${lab} state=${state} language=${language} />
      </article>
    </li>
  `;
}
