// Component Legend: lines with their names, below a chart.
import { html } from '../html.js';
import { Marker } from './marker.js';
import { lineClass, seriesClass } from './series.js';

export function Legend({ names, plot }) {
  return html`
    <ul class="legend">
      ${names.map(
        (name, index) => html`
          <li key=${name}>
            <svg class=${seriesClass(plot, name, index)} viewBox="0 0 34 12" aria-hidden="true">
              <line class=${lineClass(plot, name, index)} x1="1" x2="33" y1="6" y2="6" />
              <${Marker} index=${index} x=${17} y=${6} />
            </svg>
            ${name}
          </li>
        `,
      )}
    </ul>
  `;
}
