// Component EndLabels: names of lines at their right ends, moved apart.
import { html } from '../html.js';
import { seriesClass } from './series.js';
import { spread } from './ticks.js';

export function EndLabels({ lines, plot, view, range }) {
  const ends = lines.map(([, points]) => {
    const inside = points.filter(([x]) => !range || (x >= range[0] && x <= range[1]));
    return inside.length ? inside[plot.x.is_reversed ? 0 : inside.length - 1] : null;
  });
  const wished = ends.map((end) => (end ? view.y.place(end[1]) : view.top));
  const places = spread(wished, 15, view.top, view.bottom);
  return lines.map(
    ([name], index) =>
      ends[index] &&
      html`
        <g key=${name} class=${seriesClass(plot, name, index)}>
          <line
            class="leader"
            x1=${view.x.place(ends[index][0]) + 5}
            y1=${wished[index]}
            x2=${view.right + 10}
            y2=${places[index]}
          />
          <text class="series-name" x=${view.right + 13} y=${places[index] + 4}>${name}</text>
        </g>
      `,
  );
}
