// Component Dot: a value with its name and interval, as a dot or a bar.
import { html } from '../html.js';
import { measureText } from './scale.js';

const LETTER = 6.7;

export const ROW = 22;

export function Dot({ plot, name, label, at, left, box, scale, hasText, onRead }) {
  const [value, low, high] = plot.bars[name];
  const hasInterval = low != null && high != null && high > low;
  const text = measureText(plot.x, plot.bars[name], plot.counts?.[name]);
  return html`
    <g class="series-1" onPointerEnter=${() => onRead?.(`${name}: ${text}`)} onPointerLeave=${() => onRead?.('')}>
      <rect class="row-area" x="0" y=${at - ROW / 2} width=${box.right} height=${ROW} />
      ${
        label &&
        html`
        <text class="row-name" x=${left - 6} y=${at + 4}
          text-anchor="end">${shorten(label, left)}</text>`
      }
      ${
        hasInterval &&
        html`
          <path
            class="whisker"
            d=${`M${scale.place(low)} ${at - 4}v8m0 -4H${scale.place(high)}m0 -4v8`}
          />
        `
      }
      ${
        plot.kind === 'bars'
          ? html`
            <rect class="filled" x=${scale.place(0)} y=${at - 7}
              width=${Math.max(1, scale.place(value) - scale.place(0))} height="14" />`
          : html`<circle class="dot" cx=${scale.place(value)} cy=${at} r="4.5" />`
      }
      ${hasText && html`<text class="value" x=${box.right + 12} y=${at + 4}>${text}</text>`}
    </g>
  `;
}

const shorten = (label, left) => {
  const most = Math.floor((left - 8) / LETTER);
  return label.length > most ? `${label.slice(0, most - 1)}…` : label;
};
