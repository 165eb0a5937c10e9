// Component Line: a line with its band and markers.
import { html } from '../html.js';
import { Marker } from './marker.js';
import { lineClass, seriesClass } from './series.js';

const MAX_MARKERS = 14;

export function Line({ plot, name, points, index, view }) {
  const band = plot.intervals?.[name] ?? [];
  const at = ([x, value]) => `${view.x.place(x).toFixed(1)},${view.y.place(value).toFixed(1)}`;
  const area = [...band.map(([x, , high]) => at([x, high])), ...band.map(([x, low]) => at([x, low])).reverse()];
  const step = Math.max(1, Math.ceil(points.length / MAX_MARKERS));
  return html`
    <g class=${seriesClass(plot, name, index)}>
      ${band.length > 1 && html`<polygon class="band" points=${area.join(' ')} />`}
      <polyline
        class=${lineClass(plot, name, index)}
        points=${points.map(at).join(' ')}
      />
      ${points
        .filter((_, place) => place % step === 0)
        .map(([x, value]) => html`<${Marker} key=${x} index=${index} x=${view.x.place(x)} y=${view.y.place(value)} />`)}
    </g>
  `;
}
