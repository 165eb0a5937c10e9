// The timeline as a file: the drawing with its styles, in the colours of a white page.
const STYLE = [
  'text{font:12px sans-serif;fill:#222}',
  '.unit{font-weight:600}',
  '.rule{stroke:#ddd}',
  '.zero{stroke:#888}',
  '.area{fill:#0072b2;fill-opacity:.14}',
  '.band{fill:#0072b2;fill-opacity:.22}',
  '.curve{fill:none;stroke:#0072b2;stroke-width:2}',
  '.glyph circle{fill:#b3261e}',
  '.glyph text{font-weight:700;fill:#b3261e}',
  '.grade1 circle{fill:#d55e00}',
  '.grade2 circle{fill:#8a6d00}',
  '.theirs{opacity:.55}',
  '.current{display:none}',
].join('');

export function timelineSvg(drawing, caption) {
  const copy = drawing.cloneNode(true);
  const [width, height] = [Number(drawing.getAttribute('width')), Number(drawing.getAttribute('height'))];
  const make = (name, attributes, text = '') => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = text;
    return element;
  };
  copy.setAttribute('height', height + 20);
  copy.setAttribute('viewBox', `0 0 ${width} ${height + 20}`);
  copy.prepend(make('style', {}, STYLE), make('rect', { width, height: height + 20, fill: '#fff' }));
  copy.append(make('text', { x: 8, y: height + 14 }, caption));
  return new XMLSerializer().serializeToString(copy);
}
