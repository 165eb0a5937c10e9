// Scales and paths of the timeline: acts to pixels, points to pixels, ticks, the band.
export const MARGINS = { left: 46, right: 12, top: 18, bottom: 24 };
export const Z_95 = 1.96;

// Round numbers that cover a range, at most `count` of them.
export function niceTicks(low, high, count = 5) {
  const raw = Math.max(1e-9, high - low) / Math.max(1, count - 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw * 0.999);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++)
    ticks.push(Number((k * step).toFixed(9)));
  return ticks;
}

// Points of a side over the acts: the mean of the latest value of each of its seats, with the half width of its 95 %
// interval. Partners see different cards, so a curve of their single values would swing between them.
export function sideSeries(decisions, seats, end = null) {
  const latest = new Map();
  const points = [];
  for (const { place, seat, made, madeError } of decisions) {
    if (!seats.includes(seat) || made == null) continue;
    latest.set(seat, { made, half: Z_95 * (madeError ?? 0) });
    const known = [...latest.values()];
    points.push({
      place,
      value: known.reduce((sum, item) => sum + item.made, 0) / known.length,
      half: Math.hypot(...known.map((item) => item.half)) / known.length,
    });
  }
  return end ? [...points, { ...end, half: 0 }] : points;
}

export function valueRange(series) {
  const values = series.flatMap(({ value, half }) => [value - half, value + half]);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  return high - low < 1 ? [Math.min(low, -0.5), Math.max(high, 0.5)] : [low, high];
}

export function makeScale({ width, height, length, low, high }) {
  const innerWidth = Math.max(1, width - MARGINS.left - MARGINS.right);
  const innerHeight = Math.max(1, height - MARGINS.top - MARGINS.bottom);
  const last = Math.max(1, length - 1);
  return {
    x: (index) => MARGINS.left + (innerWidth * index) / last,
    y: (value) => MARGINS.top + (innerHeight * (high - value)) / Math.max(1e-9, high - low),
    indexAt: (x) => Math.min(length - 1, Math.max(0, Math.round(((x - MARGINS.left) / innerWidth) * last))),
  };
}

const pixel = (value) => value.toFixed(1);
const join = (points) => points.map(([x, y]) => `${pixel(x)},${pixel(y)}`).join(' L');

export const linePath = (series, { x, y }) =>
  series.length ? `M${join(series.map(({ place, value }) => [x(place), y(value)]))}` : '';

export function bandPath(series, { x, y }) {
  if (!series.length) return '';
  const upper = series.map(({ place, value, half }) => [x(place), y(value + half)]);
  const lower = series.map(({ place, value, half }) => [x(place), y(value - half)]).reverse();
  return `M${join([...upper, ...lower])}Z`;
}

export function areaPath(series, { x, y }) {
  if (!series.length) return '';
  const [first, last] = [series[0], series.at(-1)];
  return `M${join([
    [x(first.place), y(0)],
    ...series.map(({ place, value }) => [x(place), y(value)]),
    [x(last.place), y(0)],
  ])}Z`;
}

// Value of a series at an act, interpolated between its neighbours.
export function valueAt(series, place) {
  const after = series.findIndex((point) => point.place >= place);
  if (!series.length) return 0;
  if (after < 0) return series.at(-1).value;
  if (after === 0 || series[after].place === place) return series[after].value;
  const [a, b] = [series[after - 1], series[after]];
  return a.value + ((b.value - a.value) * (place - a.place)) / (b.place - a.place);
}

// Tricks that are labelled on the axis: as many as fit before its end, `room` pixels each.
export function trickTicks(tricks, x, room, end) {
  const shown = [];
  for (const { trick, start } of tricks) {
    const hasRoom = !shown.length || x(start) - x(shown.at(-1).start) >= room;
    if (trick > 0 && hasRoom && x(start) + room <= end) shown.push({ trick, start });
  }
  return shown;
}
