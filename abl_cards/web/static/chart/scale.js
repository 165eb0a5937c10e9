// Scale of an axis: from values to pixels and back, with its ticks.
import { linearTicks, logTicks, numberText } from './ticks.js';

export const axisText = (axis) => (axis.unit ? `${axis.label} (${axis.unit})` : axis.label);

export const axisFactor = (axis) => (axis.is_share ? 100 : 1);

// A value with the digits of its quantity.
export function valueText(axis, value) {
  if (value == null) return '–';
  const shown = value * axisFactor(axis);
  if (axis.is_share) return shown.toFixed(1).replace('-', '−');
  return Math.abs(shown) >= 100 && Math.abs(shown) < 10000
    ? String(Math.round(shown)).replace('-', '−')
    : numberText(Number(shown.toPrecision(4)));
}

// A value with its interval and sample size.
export function measureText(axis, [value, low, high], count) {
  const bounds =
    low != null && high != null && high > low ? ` [${valueText(axis, low)}, ${valueText(axis, high)}]` : '';
  const unit = axis.unit === '%' ? ' %' : '';
  return `${valueText(axis, value)}${unit}${bounds}${count == null ? '' : `, n = ${count.toLocaleString('en')}`}`;
}

// Scale of the values of an axis on the pixels from `start` to `end`; `count` is the largest number of ticks.
export function makeScale(axis, values, start, end, count, pad = 0.04) {
  const finite = values.filter(Number.isFinite);
  const low = finite.length ? Math.min(...finite) : 0,
    high = finite.length ? Math.max(...finite) : 1;
  const [from, to] = axis.is_reversed ? [end, start] : [start, end];
  if (axis.scale === 'category')
    return categoryScale(
      [...new Set(finite)].sort((a, b) => a - b),
      from,
      to,
    );
  const isLog = axis.scale === 'log' && low > 0;
  const forward = isLog ? Math.log10 : (value) => value;
  const margin = (forward(high) - forward(low) || 1) * pad;
  const first = forward(low) - margin,
    last = forward(high) + margin;
  const place = (value) => from + ((to - from) * (forward(value) - first)) / (last - first);
  const backward = isLog ? (value) => 10 ** value : (value) => value;
  const factor = axisFactor(axis);
  const ticks = isLog
    ? logTicks(low * factor, high * factor, count)
    : linearTicks(low * factor, high * factor, count, axis.is_integer);
  return {
    place,
    value: (pixel) => backward(first + ((pixel - from) / (to - from)) * (last - first)),
    ticks: ticks.map((tick) => ({ at: place(tick / factor), text: numberText(tick) })),
  };
}

function categoryScale(places, from, to) {
  const at = (index) => from + ((to - from) * (index + 0.3)) / (places.length - 0.4 || 1);
  const nearest = (pixel) =>
    places.reduce(
      (best, place, index) => (Math.abs(at(index) - pixel) < Math.abs(at(places.indexOf(best)) - pixel) ? place : best),
      places[0],
    );
  return {
    place: (value) => at(places.indexOf(value)),
    value: nearest,
    ticks: places.map((value, index) => ({ at: at(index), text: numberText(value) })),
  };
}
