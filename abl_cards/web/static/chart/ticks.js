// Ticks of axes and texts of numbers, as the figures of documents have them (core/plot_ticks.py).
const MAX_TICKS = 6;
const EPSILON = 1e-9;

const tidy = (value) => Number(value.toPrecision(12));

// Round numbers in a range, at most `count`.
export function linearTicks(low, high, count = MAX_TICKS, isInteger = false) {
  const span = Math.max(high - low, EPSILON);
  const exponent = Math.floor(Math.log10(span / Math.max(1, count - 1)) - EPSILON);
  for (let power = exponent; power < exponent + 3; power += 1)
    for (const base of [1, 2, 5]) {
      const step = base * 10 ** power;
      if (isInteger && step < 1) continue;
      const first = Math.ceil(low / step - EPSILON),
        last = Math.floor(high / step + EPSILON);
      if (last - first < count)
        return Array.from({ length: last - first + 1 }, (_, index) => tidy((first + index) * step));
    }
  return [low, high];
}

// Round numbers in a range of positive numbers, for a logarithmic axis.
export function logTicks(low, high, count = MAX_TICKS) {
  const first = Math.floor(Math.log10(low)),
    last = Math.ceil(Math.log10(high));
  let inside = [];
  for (const bases of [[1, 2, 5], [1, 3], [1]]) {
    inside = [];
    for (let power = first; power <= last; power += 1)
      for (const base of bases) {
        const tick = base * 10 ** power;
        if (tick >= low * (1 - EPSILON) && tick <= high * (1 + EPSILON)) inside.push(tidy(tick));
      }
    if (inside.length <= count) return inside.length > 1 ? inside : linearTicks(low, high, count);
  }
  const stride = Math.ceil(inside.length / count);
  return inside.filter((_, index) => index % stride === 0);
}

function plain(size) {
  const digits = size >= 1000 ? 0 : size > 0 ? Math.max(0, 3 - Math.floor(Math.log10(size))) : 0;
  const text = size.toFixed(Math.min(digits, 20));
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
}

// A number of an axis as text.
export function numberText(value) {
  const size = Math.abs(value);
  const text = size >= 999500 ? `${plain(size / 1e6)}M` : size >= 10000 ? `${plain(size / 1e3)}k` : plain(size);
  return value < 0 && text !== '0' ? `−${text}` : text;
}

// Places of labels, moved apart by at least `gap` between `low` and `high`.
export function spread(places, gap, low, high) {
  const order = places.map((_, index) => index).sort((one, two) => places[one] - places[two] || one - two);
  const distance = Math.min(gap, (high - low) / Math.max(1, places.length - 1));
  const groups = [];
  for (const index of order) {
    let start = Math.min(Math.max(places[index], low), high),
      size = 1;
    while (groups.length) {
      const [before, count] = groups[groups.length - 1];
      if (before + count * distance <= start + EPSILON) break;
      groups.pop();
      start = (before * count + (start - count * distance) * size) / (count + size);
      size += count;
      start = Math.min(Math.max(start, low), high - (size - 1) * distance);
    }
    groups.push([start, size]);
  }
  const moved = groups.flatMap(([start, size]) => Array.from({ length: size }, (_, step) => start + step * distance));
  return places.map((_, index) => moved[order.indexOf(index)]);
}
