// Text of an SVG file of a chart: the styles of the page become attributes.
const PROPERTIES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-size',
  'font-weight',
];

export function svgText(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((element, index) => {
    const style = getComputedStyle(originals[index]);
    for (const property of PROPERTIES) element.setAttribute(property, style.getPropertyValue(property));
    element.removeAttribute('class');
  });
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute('width', width);
  copy.setAttribute('height', height);
  copy.setAttribute('font-family', 'sans-serif');
  return `<?xml version="1.0" encoding="utf-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}
