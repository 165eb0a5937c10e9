// Component Plot: lines, values with intervals, or a matrix, from the numbers of a report.
import { Graph } from '../graph.js';
import { html } from '../html.js';
import { DataGrid, cellText } from './data_grid.js';

const LINE_POINTS = 200;

export function Plot({ plot }) {
  if (plot.kind === 'lines') {
    const positions = Object.values(plot.lines)
      .flat()
      .map(([x]) => x);
    const low = Math.min(...positions),
      span = Math.max(...positions) - low || 1;
    const lines = Object.entries(plot.lines).map(([name, points]) => ({
      name,
      points: points.map(([x, value]) => [((x - low) / span) * (LINE_POINTS - 1), value]),
    }));
    return html`
      <figure>
        <figcaption>
          ${plot.title}${' '}
          <span class="small">
            ${plot.across} ${low} – ${low + span} · ${plot.up}
          </span>
        </figcaption>
        <${Graph}
          label=${plot.title}
          length=${LINE_POINTS}
          zero=${false}
          lines=${lines}
          current=${0}
          onSelect=${() => {}}
        />
      </figure>
    `;
  }
  if (plot.kind === 'bars') {
    const ends = Object.values(plot.bars).flat();
    const low = Math.min(...ends),
      span = Math.max(...ends) - low || 1;
    const x = (value) => 4 + (292 * (value - low)) / span;
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
                    ${cellText(value)}${' '}
                    <span class="small">
                      ${cellText(from)} – ${cellText(to)}
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
    <${DataGrid}
      caption=${plot.title}
      columns=${['', ...plot.columns]}
      rows=${plot.values.map((row, index) => [plot.rows[index], ...row])}
    />
  `;
}
