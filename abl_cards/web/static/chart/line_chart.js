// Component LineChart: lines with bands over one axis, labelled at their ends, with values under a cursor, and zoom.
import { html, useEffect, useRef, useState } from '../html.js';
import { t } from '../words.js';
import { Axes } from './axes.js';
import { EndLabels } from './end_labels.js';
import { Legend } from './legend.js';
import { Line } from './line.js';
import { axisText, makeScale, measureText, valueText } from './scale.js';

const LETTER = 6.6,
  LEAST_DRAG = 8;
let charts = 0;

export function LineChart({ plot, width, small, onRead }) {
  const [id] = useState(() => `chart${(charts += 1)}`);
  const [range, setRange] = useState(null);
  const [cursor, setCursor] = useState(null);
  const [drag, setDrag] = useState(null);
  const svg = useRef(null);
  const lines = Object.entries(plot.lines);
  const names = lines.map(([name]) => name);
  const longest = Math.max(...names.map((name) => name.length), 0) * LETTER + 22;
  const isBeside = lines.length > 1 && longest < 0.34 * width && !small;
  const view = layout({ plot, lines, width, height: small ? 170 : 300, right: isBeside ? longest : 10, range });
  const xs = [...new Set(lines.flatMap(([, points]) => points.map(([x]) => x)))].sort((a, b) => a - b);
  const shown = range ? xs.filter((x) => x >= range[0] && x <= range[1]) : xs;
  useEffect(() => onRead?.(cursor == null ? '' : readAt(plot, lines, cursor)), [cursor]);

  const pixel = (event) => {
    const box = svg.current.getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * width;
  };
  const nearest = (at) =>
    shown.reduce(
      (best, x) => (Math.abs(view.x.place(x) - at) < Math.abs(view.x.place(best) - at) ? x : best),
      shown[0],
    );
  const onPointerMove = (event) => {
    setCursor(nearest(pixel(event)));
    if (drag) setDrag([drag[0], pixel(event)]);
  };
  const onPointerUp = () => {
    if (drag && Math.abs(drag[1] - drag[0]) > LEAST_DRAG) {
      const ends = drag.map((at) => view.x.value(at)).sort((a, b) => a - b);
      if (xs.filter((x) => x >= ends[0] && x <= ends[1]).length > 1) setRange(ends);
    }
    setDrag(null);
  };
  const onKeyDown = (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (move) {
      const step = plot.x.is_reversed ? -move : move;
      const index = cursor == null ? 0 : shown.indexOf(cursor) + step;
      setCursor(shown[Math.min(shown.length - 1, Math.max(0, index))]);
    } else if (event.key === '+' || event.key === '=') zoom();
    else if (event.key === '-' || event.key === 'Escape') setRange(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  function zoom() {
    const centre = shown.indexOf(cursor ?? shown[shown.length >> 1]),
      half = Math.max(1, shown.length >> 2);
    const ends = [shown[Math.max(0, centre - half)], shown[Math.min(shown.length - 1, centre + half)]];
    if (ends[1] > ends[0]) setRange(ends);
  }
  const interaction = small
    ? { role: 'img' }
    : {
        role: 'application',
        tabindex: 0,
        onPointerMove,
        onPointerLeave: () => setCursor(null),
        onPointerDown: (event) => setDrag([pixel(event), pixel(event)]),
        onPointerUp,
        onDblClick: () => setRange(null),
        onKeyDown,
      };
  return html`
    <svg
      ref=${svg}
      class=${`chart ${small ? 'small-chart' : ''}`}
      viewBox=${`0 0 ${width} ${view.height}`}
      aria-label=${plot.title}
      xmlns="http://www.w3.org/2000/svg"
      ...${interaction}
    >
      <clipPath id=${id}>
        <rect x=${view.left} y=${view.top - 4} width=${view.right - view.left} height=${view.bottom - view.top + 8} />
      </clipPath>
      <${Axes} box=${view} x=${view.x} y=${view.y} xText=${axisText(plot.x)} yText=${axisText(plot.y)} />
      <g clip-path=${`url(#${id})`}>
        ${
          plot.reference != null &&
          html`
          <line class="reference" x1=${view.left} x2=${view.right}
            y1=${view.y.place(plot.reference)} y2=${view.y.place(plot.reference)} />`
        }
        ${lines.map(
          ([name, points], index) => html`
          <${Line} key=${name} plot=${plot} name=${name} points=${points} index=${index}
            view=${view} />`,
        )}
        ${
          cursor != null &&
          html`
          <line class="cursor" x1=${view.x.place(cursor)} x2=${view.x.place(cursor)} y1=${view.top}
            y2=${view.bottom} />`
        }
        ${
          drag &&
          html`
          <rect class="zoom-area" x=${Math.min(...drag)} y=${view.top}
            width=${Math.abs(drag[1] - drag[0])} height=${view.bottom - view.top} />`
        }
      </g>
      ${isBeside && html`<${EndLabels} lines=${lines} plot=${plot} view=${view} range=${range} />`}
    </svg>
    ${!isBeside && lines.length > 1 && html`<${Legend} names=${names} plot=${plot} />`}
    ${
      range &&
      html`
        <button type="button" class="quiet" onClick=${() => setRange(null)}>
          ${t('wholeRange')}
        </button>
      `
    }
  `;
}

// Box and scales of a chart.
function layout({ plot, lines, width, height, right, range }) {
  const within = ([x]) => !range || (x >= range[0] && x <= range[1]);
  const points = lines.flatMap(([, points]) => points.filter(within));
  const bands = Object.values(plot.intervals ?? {}).flatMap((band) => band.filter(within));
  const heights = [...points, ...bands].flatMap(([, ...values]) => values);
  if (plot.reference != null) heights.push(plot.reference);
  const top = 26,
    bottom = height - 40;
  const y = makeScale(plot.y, heights, bottom, top, 6);
  const left = 14 + Math.max(...y.ticks.map((tick) => tick.text.length), 1) * LETTER;
  const x = makeScale(
    plot.x,
    range ? [...range] : points.map(([x]) => x),
    left,
    width - right,
    Math.max(2, Math.floor((width - right - left) / 70)),
    range ? 0 : 0.03,
  );
  return { x, y, left, right: width - right, top, bottom, height };
}

// Values of all lines at a place, as text.
function readAt(plot, lines, x) {
  const values = lines.flatMap(([name, points]) => {
    const point = points.find(([place]) => place === x);
    const band = plot.intervals?.[name]?.find(([place]) => place === x);
    return point ? [`${name} ${measureText(plot.y, [point[1], band?.[1], band?.[2]])}`] : [];
  });
  return `${plot.x.label} ${valueText(plot.x, x)}: ${values.join(' · ')}`;
}
