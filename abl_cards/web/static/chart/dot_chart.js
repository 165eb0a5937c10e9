// Component DotChart: values with intervals by name, as dots or bars, in one panel or several.
import { html } from '../html.js';
import { Axes } from './axes.js';
import { Dot, ROW } from './dot.js';
import { axisText, makeScale, measureText } from './scale.js';

const LETTER = 6.7;

export function DotChart({ plot, width, small, onRead }) {
  const panels = Object.entries(panelsOf(plot));
  const most = small || width >= 700 ? 4 : width >= 420 ? 2 : 1;
  const columns = Math.min(panels.length, most);
  const rows = small ? 7 : Infinity;
  const labels = panels.flatMap(([, names]) => names.map(([label]) => label));
  const left = Math.min(0.4 * width, 12 + Math.max(...labels.map((label) => label.length)) * LETTER);
  const right = columns === 1 && !small && width >= 560 ? 190 : 14;
  const panelWidth = (width - left - right) / columns;
  const height =
    Math.min(rows, Math.max(...panels.map(([, names]) => names.length))) * ROW + (panels.length > 1 ? 22 : 6);
  const lines = Math.ceil(panels.length / columns);
  const ends = Object.values(plot.bars)
    .flat()
    .concat(plot.reference ?? [], plot.kind === 'bars' ? 0 : []);
  const total = lines * (height + 24) + 24;
  return html`
    <svg
      class=${`chart ${small ? 'small-chart' : ''}`}
      viewBox=${`0 0 ${width} ${total}`}
      role="img"
      aria-label=${`${plot.title}: ${Object.entries(plot.bars)
        .map(([name, bar]) => `${name} ${measureText(plot.x, bar)}`)
        .join('; ')}`}
      xmlns="http://www.w3.org/2000/svg"
    >
      ${panels.map(([title, names], index) => {
        const start = left + (index % columns) * panelWidth,
          top = Math.floor(index / columns) * (height + 24) + (panels.length > 1 ? 20 : 4);
        const box = {
          left: start + 4,
          right: start + panelWidth - 10,
          top,
          bottom: top + height - (panels.length > 1 ? 20 : 4),
        };
        const scale = makeScale(
          plot.x,
          ends.filter((end) => end != null),
          box.left + 4,
          box.right - 4,
          Math.max(2, Math.floor(panelWidth / 44)),
        );
        return html`
          <g key=${title}>
            ${title && html`<text class="panel-name" x=${box.left} y=${top - 6}>${title}</text>`}
            <${Axes} box=${box} x=${scale} y=${{ ticks: [] }} xText="" grid="x" />
            ${
              plot.reference != null &&
              html`
              <line class="reference" x1=${scale.place(plot.reference)}
                x2=${scale.place(plot.reference)} y1=${box.top} y2=${box.bottom} />`
            }
            ${names.slice(0, rows).map(
              ([label, name], place) => html`
                <${Dot}
                  key=${name}
                  plot=${plot}
                  name=${name}
                  label=${index % columns === 0 ? label : ''}
                  at=${box.top + (place + 0.5) * ROW}
                  left=${left}
                  box=${box}
                  scale=${scale}
                  hasText=${right > 100}
                  onRead=${onRead}
                />
              `,
            )}
          </g>
        `;
      })}
      <text class="axis-name" x=${left + (width - left - right) / 2} y=${total - 4}
          text-anchor="middle">${axisText(plot.x)}</text>
    </svg>
  `;
}

// Short labels and names of the values by panel.
function panelsOf(plot) {
  const panels = {};
  for (const name of Object.keys(plot.bars)) {
    const [panel, label] = plot.groups?.[name] ?? ['', name];
    (panels[panel] ??= []).push([label, name]);
  }
  return panels;
}
