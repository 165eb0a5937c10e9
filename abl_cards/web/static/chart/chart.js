// Component Chart: a figure from its data: title, drawing, values under the pointer, sample size, files.
import { html, loadStyle, useRef, useState } from '../html.js';
import { saveFile } from '../save_file.js';
import { t } from '../words.js';
import { DotChart } from './dot_chart.js';
import { LineChart } from './line_chart.js';
import { MatrixChart } from './matrix_chart.js';
import { svgText } from './svg_text.js';
import { chartRows, csvText } from './table_data.js';
import { useWidth } from './use_width.js';
import './words.js';

await loadStyle('chart/chart');

const DRAWINGS = { lines: LineChart, dots: DotChart, bars: DotChart, matrix: MatrixChart };
const LEAST_WIDTH = 240;

export function Chart({ plot, name, small = false }) {
  const [ref, width] = useWidth();
  const [reading, setReading] = useState('');
  const figure = useRef(null);
  const Drawing = DRAWINGS[plot.kind];
  const title = plot.title || plot.name;
  const save = (kind) =>
    kind === 'svg'
      ? saveFile(`${name}.svg`, svgText(figure.current.querySelector('svg.chart')), 'image/svg+xml')
      : saveFile(`${name}.csv`, csvText(chartRows(plot)), 'text/csv');
  const drawing =
    width > 0 &&
    html`<${Drawing} plot=${plot} width=${Math.max(LEAST_WIDTH, width)} small=${small} onRead=${setReading} />`;
  if (small) return html`<div class="chart-frame" ref=${ref}>${drawing}</div>`;
  return html`
    <figure class="chart-figure" ref=${figure}>
      <figcaption>${title}</figcaption>
      <div class="chart-frame" ref=${ref}>${drawing}</div>
      <p class="chart-reading"
          role="status">${reading || t(plot.kind === 'lines' ? 'pointAtChart' : 'pointAtValues')}</p>
      <p class="small chart-note">${[plot.n, plot.interval].filter(Boolean).map(sentence).join(' ')}</p>
      <p class="chart-files">
        ${['svg', 'csv'].map(
          (kind) => html`
            <button
              key=${kind}
              type="button"
              class="quiet"
              aria-label=${t('saveAs', title, kind.toUpperCase())}
              onClick=${() => save(kind)}
            >
              ${kind.toUpperCase()}
            </button>
          `,
        )}
      </p>
    </figure>
  `;
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
