// Component StepBar: buttons that step through a line, and switches of what the table shows.
import { html } from '../html.js';
import { t } from '../words.js';

const SPEEDS = [0.5, 1, 2, 4];

export function StepBar({
  index,
  last,
  goTo,
  isRunning,
  setRunning,
  speed,
  setSpeed,
  switches,
  seats,
  bottom,
  setBottom,
}) {
  const step = (target, sign, word) => html`
    <button type="button" class="step" onClick=${() => goTo(target)} aria-label=${t(word)} title=${t(word)}>
      ${sign}
    </button>
  `;
  return html`
    <div class="steps">
      ${step(0, '|◀', 'first')} ${step(index - 1, '◀', 'stepBack')}
      <button type="button" class="step run" onClick=${() => setRunning(!isRunning)} aria-pressed=${isRunning}>
        ${t(isRunning ? 'stop' : 'run')}
      </button>
      ${step(index + 1, '▶', 'following')} ${step(last, '▶|', 'lastStep')}
      <label class="speed">
        <span class="unseen">${t('speed')}</span>
        <select value=${speed} onChange=${(event) => setSpeed(Number(event.target.value))}>
          ${SPEEDS.map((item) => html`<option key=${item} value=${item}>×${item}</option>`)}
        </select>
      </label>
      ${switches.map(
        ({ word, isOn, toggle, key }) => html`
          <label key=${word} class="switch" title=${key}>
            <input type="checkbox" checked=${isOn} onChange=${toggle} /> ${t(word)}
          </label>
        `,
      )}
      <label class="from">
        ${t('seenFrom')}${' '}
        <select id="review-seat" value=${bottom} onChange=${(event) => setBottom(Number(event.target.value))}>
          ${seats.map((name, seat) => html`<option key=${seat} value=${seat}>${name}</option>`)}
        </select>
      </label>
    </div>
  `;
}
