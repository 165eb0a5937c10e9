// Styles of rectangles and spots of the layout, in pixels.
export const pixels = (values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, `${value}px`]));

export const placeStyle = ({ x, y, w, h }) => pixels({ left: x, top: y, width: w, height: h });
