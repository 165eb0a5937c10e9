// Layout of a table: a rectangle for everything it shows, from its size and seats alone, so that nothing moves in play.
const GAP = 6;

// Measures in pixels by form; `control` is the height of a button.
const MEASURES = {
  landscape: { card: 54, lift: 16, control: 38, message: 32, seat: [128, 50], hud: 46, tools: [168, 36], pile: 42 },
  portrait: { card: 47, lift: 14, control: 44, message: 46, seat: [128, 56], hud: 52, tools: [126, 36], pile: 42 },
  desktop: { card: 72, lift: 22, control: 44, message: 36, seat: [160, 72], hud: 46, tools: [330, 38], pile: 72 },
};
export const CARD_RATIO = 1.4;
const OPEN_SHARE = { landscape: 0.3, portrait: 0.32, desktop: 0.27 };
const OPEN_HEIGHT = { landscape: 84, portrait: 84, desktop: 104 };

export function tableForm({ width, height }) {
  if (height < 560 && width > 1.2 * height) return 'landscape';
  return width < 700 ? 'portrait' : 'desktop';
}

// Rectangle with whole edges, so that neighbours do not overlap.
function box(x, y, w, h) {
  const [left, top] = [Math.round(x), Math.round(y)];
  return { x: left, y: top, w: Math.max(0, Math.round(x + w) - left), h: Math.max(0, Math.round(y + h) - top) };
}

// Share a rectangle among `n` boxes side by side, or one below the other.
const columns = ({ x, y, w, h }, n) => Array.from({ length: n }, (_, i) => box(x + (i * w) / n, y, w / n, h));
const rows = ({ x, y, w, h }, n) => Array.from({ length: n }, (_, i) => box(x, y + (i * h) / n, w, h / n));

// Measures of a table: those of its form, smaller where a portrait table is low.
function measure(form, height) {
  const measures = MEASURES[form];
  const scale = form === 'portrait' ? Math.min(1, Math.max(0.75, height / 720)) : 1;
  if (scale === 1) return measures;
  const { card, control, message, seat, pile } = measures;
  const [seatWidth, seatHeight] = seat;
  return {
    ...measures,
    card: Math.round(card * scale),
    control: Math.round(control * scale),
    message: message * scale,
    seat: [seatWidth, seatHeight * scale],
    pile: pile * scale,
  };
}

// Rectangles of hand, own seat, message, actions and choices, from the bottom of the table upwards.
function ownPart(form, width, height, hasControls) {
  const { lift, control, message, ...measures } = measure(form, height);
  const card = hasControls ? measures.card : Math.min(measures.card, Math.round(height * 0.14));
  const cardHeight = Math.round(card * CARD_RATIO);
  const sideWidth = form === 'landscape' && hasControls ? 178 : 0;
  const wide = width - 2 * GAP - (sideWidth ? sideWidth + GAP : 0);
  const numRows = form === 'portrait' && hasControls ? 2 : 1;
  const handHeight = (hasControls ? lift : 4) + numRows * cardHeight + (numRows - 1) * 4;
  const hand = box(GAP, height - GAP - handHeight, wide, handHeight);
  let top = hand.y;
  let actions = box(0, top, 0, 0);
  if (form === 'landscape' && hasControls) {
    const tall = 46 + 3 * (control + 4);
    actions = box(width - GAP - sideWidth, height - GAP - tall, sideWidth, tall);
  } else if (hasControls) {
    const tall = form === 'portrait' ? 2 * control + 4 : control;
    actions = box(GAP, top - tall - 4, wide, tall);
    top = actions.y;
  }
  const line = hasControls ? message : 26;
  const ownWidth = form === 'portrait' ? wide : Math.min(220, wide * 0.3);
  const own = box(GAP, top - line - 4 - (form === 'portrait' ? 28 : 0), ownWidth, form === 'portrait' ? 26 : line);
  const text =
    form === 'portrait'
      ? box(GAP, top - line - 4, wide, line)
      : box(GAP + ownWidth + GAP, top - line - 4, wide - ownWidth - GAP, line);
  const choices = box(GAP, own.y - 2 * control - 8, wide, 2 * control + 8);
  const sheetTop = form === 'landscape' ? Math.min(own.y, height * 0.4) : own.y;
  const sheet = box(GAP, sheetTop, width - 2 * GAP, height - GAP - sheetTop);
  return { card, hand, actions, own, message: text, choices, sheet, top: own.y };
}

// Seats and piles of a portrait table: all others in one row, their piles below, in a cross for up to three.
// Where hands are open, each seat has a row of its own (`isFlat`).
function portraitMiddle(width, top, bottom, sides, seatHeight, isFlat) {
  const others = sides.left + sides.top + sides.right;
  const perRow = isFlat ? 1 : Math.min(4, Math.max(1, others));
  const numRows = Math.ceil(others / perRow);
  const all = rows(box(GAP, top, width - 2 * GAP, numRows * (seatHeight + 2)), numRows)
    .flatMap((row) => columns(row, perRow))
    .map(({ x, y, w }) => box(x + 1, y, w - 2, seatHeight));
  const seats = {
    left: all.slice(0, sides.left),
    top: all.slice(sides.left, sides.left + sides.top),
    right: all.slice(sides.left + sides.top, others),
  };
  const trick = box(GAP, top + numRows * (seatHeight + 2) + GAP, width - 2 * GAP, 0);
  trick.h = Math.max(0, bottom - GAP - trick.y);
  if (others > 3) {
    const bands = rows(trick, Math.ceil((others + 1) / 2)).flatMap((row) => columns(row, 2));
    const piles = { left: bands.slice(0, sides.left), top: bands.slice(sides.left, sides.left + sides.top) };
    piles.right = bands.slice(sides.left + sides.top, others);
    return { seats, trick, piles: { ...piles, mine: [bands.at(-1)] } };
  }
  const isLow = trick.h < 210;
  const [high, middle, low] = rows(trick, isLow ? 2 : 3);
  const [west, north, east] = isLow ? columns(high, 3) : [columns(middle, 2)[0], high, columns(middle, 2)[1]];
  const piles = { left: rows(west, sides.left), top: columns(north, sides.top), right: rows(east, sides.right) };
  return { seats, trick, piles: { ...piles, mine: [isLow ? middle : low] } };
}

// Seats and piles of a landscape or desktop table. `strip` is the height of a strip above the seats at the top,
// `corner` the width beside them.
function wideMiddle(form, width, { top, strip, corner }, own, sides, [seatWidth, seatHeight]) {
  const topWidth = sides.top ? Math.min(width - 2 * corner, seatWidth * 1.15 * sides.top) : 0;
  const seats = {
    top: columns(
      box((width - topWidth) / 2, GAP + strip, topWidth, Math.min(seatHeight, top - strip - GAP)),
      sides.top,
    ),
  };
  const sideTop = top + GAP;
  const edge = own.actions.w && form === 'landscape' ? own.actions.y : own.top;
  const ends = [
    ['left', GAP, own.top],
    ['right', width - GAP - seatWidth, Math.min(edge, own.top)],
  ];
  for (const [side, x, bottom] of ends) {
    const room = box(x, sideTop, seatWidth, bottom - GAP - sideTop);
    seats[side] = rows(room, sides[side]).map((part) => {
      const tall = Math.min(seatHeight, part.h);
      return box(part.x, part.y + (part.h - tall) / 2, part.w, tall);
    });
  }
  const right = Math.min(
    width - (sides.right ? seatWidth + 2 * GAP : GAP),
    form === 'landscape' && own.actions.w ? own.actions.x - GAP : width,
  );
  const left = sides.left ? seatWidth + 2 * GAP : GAP;
  const trick = box(left, sideTop, right - left, own.top - GAP - sideTop);
  const third = trick.w / 3,
    half = trick.h / 2;
  const side = (x) => (sides.top > 1 ? box(x, trick.y + half, third, half) : box(x, trick.y, third, trick.h));
  const middle = sides.top > 1 ? box(trick.x, trick.y, trick.w, half) : box(trick.x + third, trick.y, third, half);
  const piles = {
    top: columns(middle, sides.top),
    left: rows(side(trick.x), sides.left),
    right: rows(side(trick.x + 2 * third), sides.right),
    mine: [box(trick.x + third, trick.y + half, third, half)],
  };
  return { seats, trick, piles };
}

// Number of other seats at each side of the table: the next seat sits at the right, the previous one at the left.
export function countSides(others) {
  if (others <= 1) return { left: 0, top: others, right: 0 };
  if (others === 2) return { left: 1, top: 0, right: 1 };
  const each = Math.max(1, Math.floor(others / 4));
  return { left: each, top: others - 2 * each, right: each };
}

// Return the rectangles of a table. `sides` counts the other seats at the left, at the top and at the right;
// `hasControls` leaves room for the controls of a player, `isOpen` for the hands of the other seats.
export function layOutTable(
  { width, height },
  sides,
  { hasControls = true, hasTools = hasControls, isOpen = false } = {},
) {
  const form = tableForm({ width, height });
  const measures = measure(form, height);
  const own = ownPart(form, width, height, hasControls);
  const tools = hasTools ? measures.tools : [0, 0];
  let [seatWidth, seatHeight] = measures.seat;
  if (!hasControls && height < 360) seatHeight = Math.min(seatHeight, 44);
  if (isOpen) {
    seatWidth = Math.max(seatWidth, width * OPEN_SHARE[form]);
    seatHeight += Math.min(OPEN_HEIGHT[form], height * (form === 'landscape' && !hasControls ? 0.22 : 0.16));
  }
  const hudHeight = Math.min(measures.hud, height * 0.16);
  const others = sides.left + sides.top + sides.right;
  const isFlat = isOpen && !hasControls && form !== 'desktop';
  const hasRows = isFlat && form === 'portrait' && others <= 4;
  if (hasRows) seatHeight = Math.max(46, Math.min(76, (own.top - hudHeight - 130) / Math.max(1, others)));
  let middle, hud;
  if (form === 'portrait') {
    hud = box(GAP, GAP, width - 2 * GAP - (tools[0] ? tools[0] + GAP : 0), hudHeight);
    middle = portraitMiddle(width, 2 * GAP + hudHeight, own.top, sides, seatHeight, hasRows);
  } else {
    const strip = form === 'desktop' ? hudHeight + GAP : 0;
    const topHeight = sides.top ? Math.min(seatHeight, height * 0.3) : 0;
    const top = strip ? strip + topHeight + GAP : Math.max(hudHeight, topHeight) + GAP;
    const corner = strip ? GAP : Math.max(tools[0], width * 0.2) + 2 * GAP;
    middle = wideMiddle(form, width, { top, strip, corner }, own, sides, [seatWidth, seatHeight]);
    const end = strip ? undefined : middle.seats.top[0]?.x;
    hud = box(GAP, GAP, (end ?? width - (tools[0] && tools[0] + GAP)) - 2 * GAP, hudHeight);
  }
  return {
    form,
    head: isFlat ? 22 : 46,
    ...own,
    hud,
    tools: box(width - GAP - tools[0], GAP, ...tools),
    pile: hasControls ? measures.pile : Math.min(measures.pile, Math.round(height * 0.11)),
    ...middle,
  };
}

// Place `n` cards in a rectangle, side by side and overlapping where there is little room.
// Returns the width of a card and the left upper corner of each.
export function fanOut(n, { w, h }, { card, numRows = 1, ratio = 0.72, gaps = [], isLeft = false } = {}) {
  const perRow = Math.max(1, Math.ceil(n / numRows));
  const width = Math.max(8, Math.min(card, w, Math.floor((h - (numRows - 1) * 4) / numRows / CARD_RATIO)));
  const gap = gaps.length ? Math.min(10, (w * 0.25) / gaps.length) : 0;
  const step = Math.min(width * ratio, (w - width - gap * gaps.length) / Math.max(1, perRow - 1));
  const usedRows = Math.max(1, Math.ceil(n / perRow));
  const spots = [];
  for (let row = 0; row < usedRows; row++) {
    const first = row * perRow,
      last = Math.min(n, first + perRow);
    const gapsIn = gaps.filter((place) => place > first && place < last).length;
    const total = step * (last - first - 1) + width + gap * gapsIn;
    let x = isLeft || numRows > 1 ? 0 : Math.max(0, (w - total) / 2);
    for (let place = first; place < last; place++) {
      if (place > first && gaps.includes(place)) x += gap;
      const y = h - (usedRows - row) * width * CARD_RATIO - (usedRows - 1 - row) * 4;
      spots.push({ x: Math.round(10 * x) / 10, y: Math.max(0, Math.round(10 * y) / 10) });
      x += step;
    }
  }
  return { width, step, spots };
}
