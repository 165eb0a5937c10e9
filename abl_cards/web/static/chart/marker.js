// Component Marker: marker of a line at a place; every second line has hollow ones.
import { html } from '../html.js';

const R = 3.4;
const SHAPES = [
  (x, y) => html`<circle cx=${x} cy=${y} r=${R} />`,
  (x, y) => html`<rect x=${x - R} y=${y - R} width=${2 * R} height=${2 * R} />`,
  (x, y) => html`<path d=${`M${x} ${y - R - 1}l${R + 0.8} ${2 * R}h${-2 * (R + 0.8)}z`} />`,
  (x, y) => html`<path d=${`M${x} ${y - R - 1}l${R + 1} ${R + 1}l${-R - 1} ${R + 1}l${-R - 1} ${-R - 1}z`} />`,
  (x, y) => html`<path d=${`M${x} ${y + R + 1}l${R + 0.8} ${-2 * R}h${-2 * (R + 0.8)}z`} />`,
];

export function Marker({ index, x, y }) {
  return html`
    <g class=${index % 2 ? 'marker hollow' : 'marker'}>${SHAPES[index % SHAPES.length](x, y)}</g>
  `;
}
