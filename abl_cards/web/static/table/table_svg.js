// The picture of a table as SVG text: rectangles of the layout, and cards of CardFace. It needs no document.
import { CardFace } from '../cards/card_face.js';
import { face, suitClass } from '../cards/card_text.js';
import { localise } from '../settings.js';
import { plainText } from '../text/marked_text.js';
import { cardCount, t } from '../words.js';
import { badgeText, itemName, itemValue } from './item_text.js';
import { CARD_RATIO, countSides, fanOut, layOutTable } from './layout.js';
import { seatPlaces } from './seats.js';

const FONT = "system-ui, 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif";
const LINE = 20; // height of the name of a play, as in Pile
const HEAD = 46; // height of the name of a seat and its number of cards, as in SeatPanel
const INK = { plain: '#f4fbf7', dark: '#2d2200', gold: '#ffd66b' };
const SUITS = { h: '#c3121f', d: '#0a55c4', c: '#11702f', 'joker top': '#c3121f' };
const STYLE = `
text { font-family: ${FONT}; }
.face text { fill: currentColor; }
.paper { fill: #fff; stroke: #8a948e; }
.marked .paper { fill: #fff0bf; stroke: #b07b00; stroke-width: 2.5; }
.leads .paper { stroke: #ffd66b; stroke-width: 3; }
.rank { font-size: 20px; font-weight: 700; letter-spacing: -1px; }
.suit { font-size: 17px; }
.large { font-size: 36px; }
.large.plain { font-size: 30px; font-weight: 700; }
.down { font-size: 17px; font-weight: 700; }
.down.latin { font-size: 13px; }
.wild { fill: #e8a200; stroke: #6b4a00; stroke-width: 0.7; }`;

// --- markup ------------------------------------------------------------------------------------------------------

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeText = (text) => String(text).replace(/[&<>"]/g, (sign) => ENTITIES[sign]);

// Element with attributes, of which those without a value are left out, and its content as markup.
function element(name, attributes, ...content) {
  const written = Object.entries(attributes)
    .filter(([, value]) => value != null && value !== false && value !== '')
    .map(([key, value]) => ` ${key}="${escapeText(value)}"`)
    .join('');
  const inner = content.flat().join('');
  return inner ? `<${name}${written}>${inner}</${name}>` : `<${name}${written}/>`;
}

// Markup of a virtual node whose components keep no state; `more` are attributes added to its outermost element.
function nodeMarkup(node, more = {}) {
  if (node == null || typeof node === 'boolean') return '';
  if (Array.isArray(node)) return node.map((child) => nodeMarkup(child)).join('');
  if (typeof node !== 'object') return escapeText(node);
  const { children, ...attributes } = node.props;
  if (typeof node.type === 'function') return nodeMarkup(node.type(node.props), more);
  return element(node.type, { ...attributes, ...more }, nodeMarkup(children));
}

// --- texts -------------------------------------------------------------------------------------------------------

// Widths of signs as shares of the size of the font: Chinese ones, wide and narrow ones, all others.
function widthOf(sign) {
  if (sign > '\u2e7f') return 1;
  if (/[A-Z@%\u2190-\u2bff]/.test(sign)) return 0.72;
  return /[iljt.,:;' |]/.test(sign) ? 0.32 : 0.56;
}
const textWidth = (text, size) => size * [...text].reduce((sum, sign) => sum + widthOf(sign), 0);

// Text cut to a width; what is cut is shown by an ellipsis.
function fitText(text, width, size) {
  if (textWidth(text, size) <= width) return text;
  let signs = [...text];
  while (signs.length && textWidth(`${signs.join('')}…`, size) > width) signs = signs.slice(0, -1);
  return signs.length ? `${signs.join('')}…` : '';
}

const write = (text, x, y, size, attributes = {}) =>
  element('text', { x, y, 'font-size': size, fill: INK.plain, ...attributes }, escapeText(text));

// Text on a rounded ground; returns the markup and the width.
function label(text, x, y, { size = 13, height = LINE, room = Infinity, ground = '#0000004d', ink = INK.plain } = {}) {
  const shown = fitText(text, room - 12, size);
  const width = Math.min(room, textWidth(shown, size) + 12);
  const markup = [
    element('rect', { x, y, width, height, rx: 6, fill: ground }),
    write(shown, x + width / 2, y + height * 0.72, size, { 'text-anchor': 'middle', fill: ink }),
  ];
  return { markup: markup.join(''), width };
}

// --- parts -------------------------------------------------------------------------------------------------------

// Cards in a rectangle, as CardFan places them.
function fan(position, cards, { w, h }, { card, numRows = 1, marked = [] }) {
  const { width, spots } = fanOut(cards.length, { w, h }, { card, numRows, ratio: 0.58 });
  const rest = [...marked];
  const drawn = cards.map((text, index) => {
    const info = face(position.deck, text);
    const at = rest.indexOf(text);
    if (at >= 0) rest.splice(at, 1);
    const props = { card: info, wild: position.wild.includes(text) };
    const { x, y } = spots[index];
    return element(
      'g',
      { class: at >= 0 ? 'card marked' : 'card', 'data-card': text },
      element('title', {}, escapeText(localise(info.name))),
      nodeMarkup(CardFace(props), {
        x,
        y: at >= 0 ? Math.max(0, y - 4) : y,
        width,
        height: Math.round(width * CARD_RATIO * 10) / 10,
        color: SUITS[suitClass(info)] ?? '#14181b',
      }),
    );
  });
  return drawn.join('');
}

function part(name, { x, y, w, h }, attributes, ...content) {
  const place = { transform: `translate(${x} ${y})`, 'data-rect': [x, y, w, h].join(' ') };
  return element('g', { class: name, ...place, ...attributes }, ...content);
}

function hud(position, rect) {
  const items = position.items.map((item) => [itemName(item, position.names), itemValue(item, position.names)]);
  if (position.aside > 0) items.push([t('kitty'), cardCount(position.aside)]);
  if (position.stock > 0) items.push([t('stock'), cardCount(position.stock)]);
  const title = fitText(position.title, rect.w, 15);
  const content = [title && write(title, 0, 16, 15, { 'font-weight': 700 })];
  let x = title ? 1.1 * textWidth(title, 15) + 14 : 0;
  let y = 1;
  for (const [name, value] of items) {
    const text = `${name} ${value}`;
    const wanted = Math.min(rect.w, textWidth(text, 13) + 12);
    if (x > 0 && x + wanted > rect.w) [x, y] = [0, y + LINE + 3];
    if (y + LINE > rect.h) break;
    const { markup, width } = label(text, x, y, { room: rect.w });
    content.push(markup);
    x += width + 6;
  }
  return part('hud', rect, {}, content);
}

// Name, relation, role, number of cards and points of a seat, and its cards where they are open.
function seat(position, number, rect, isOwn, head = HEAD) {
  const info = position.seats[number];
  const shortName = info.relation ? t(`${info.relation}Short`) : '';
  const { badges } = info;
  const roles = badges.filter((badge) => !localise(badge.text)).map((badge) => badgeText(badge, position.names));
  const held = [
    info.cards != null && (info.place ? t('place', info.place) : cardCount(info.cards)),
    ...badges.filter((badge) => localise(badge.text)).map((badge) => badgeText(badge, position.names)),
    info.score && itemValue(info.score, position.names),
    info.total != null && !info.score && t('pointsOf', info.total),
  ].filter(Boolean);
  const isFlat = head < HEAD; // name and number of cards stand in one line above the cards
  const isLow = rect.h < 40 || isFlat;
  const firstLine = isFlat ? 16 : isLow ? rect.h / 2 + 5 : 19;
  const names = [info.name, ...roles, shortName && !isLow ? `(${shortName})` : ''].filter(Boolean).join(' ');
  const lines = isLow ? [[names, ...held].join(' · ')] : [names, held.join(' · ')];
  const middle = { 'text-anchor': 'middle' };
  const content = [
    element('rect', {
      x: 1,
      y: 1,
      width: Math.max(0, rect.w - 2),
      height: Math.max(0, rect.h - 2),
      rx: 12,
      fill: '#00000038',
      stroke: info.isActing ? INK.gold : 'none',
      'stroke-width': 2,
    }),
    lines.map((line, index) =>
      write(fitText(line, rect.w - 10, 14 - index), rect.w / 2, firstLine + 18 * index, 14 - index, {
        ...middle,
        'font-weight': index ? 400 : 650,
      }),
    ),
  ];
  if (rect.h > head + 20 && info.face?.length) {
    const room = { w: rect.w - 12, h: rect.h - head - 6 };
    const numRows = Math.max(1, Math.min(3, Math.ceil((info.face.length * 10) / (rect.w - 40))));
    const cards = fan(position, info.face, room, { card: 44, numRows, marked: info.marked ?? [] });
    content.push(element('g', { class: 'open', transform: `translate(6 ${head})` }, cards));
  }
  return part(isOwn ? 'own' : 'seat', rect, { 'data-seat': number }, content);
}

// The last play of a seat in the trick, or what it chose.
function pile(position, number, rect, card) {
  const event = position.plays[number];
  const { names, owner, isFaded } = position;
  const said = !event && position.seats[number].said;
  if (!event && !said) return '';
  const isBest = event && number === owner && !event.passed;
  const room = Math.max(16, rect.h - LINE);
  const height = event?.cards.length ? Math.min(room, Math.round(card * CARD_RATIO)) : 0;
  const top = Math.max(0, (rect.h - height - LINE) / 2);
  const text = said
    ? `${plainText(said.stage, names)}${t('colon')}${plainText(said.text, names)}`
    : plainText(event.text, names);
  const colours = isBest ? { ground: INK.gold, ink: INK.dark } : {};
  const { width } = label(text, 0, 0, { room: rect.w });
  const cards = height ? fan(position, event.cards, { w: rect.w - 8, h: height }, { card }) : '';
  return part(
    `pile${isBest ? ' leads' : ''}`,
    rect,
    { 'data-seat': number, opacity: isFaded ? 0.72 : null },
    cards && element('g', { transform: `translate(4 ${top})` }, cards),
    text && label(text, (rect.w - width) / 2, top + height, { room: rect.w, ...colours }).markup,
  );
}

// Draw a position at a size as SVG text, without anything from outside.
export function tableSvg(position, { width, height }, { isOpen = false } = {}) {
  const others = seatPlaces(position.bottom, position.after);
  const layout = layOutTable({ width, height }, countSides(others.length), { hasControls: false, isOpen });
  const hand = position.hand ?? [];
  const piles = [
    ...others.map(({ seat: number, side, place }) => pile(position, number, layout.piles[side][place], layout.pile)),
    pile(position, position.bottom, layout.piles.mine[0], layout.pile),
  ];
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img' },
    element('title', {}, escapeText(position.title || t('trick'))),
    element('style', {}, STYLE),
    element('rect', { class: 'felt', width, height, rx: 16, fill: '#1f6f54' }),
    hud(position, layout.hud),
    others.map(({ seat: number, side, place }) =>
      seat(position, number, layout.seats[side][place], false, layout.head),
    ),
    seat(position, position.bottom, layout.own, true),
    piles,
    hand.length > 0 &&
      part(
        'hand',
        layout.hand,
        {},
        fan(position, hand, layout.hand, { card: layout.card, marked: position.marked ?? [] }),
      ),
  );
}
