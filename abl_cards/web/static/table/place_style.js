// Styles of rectangles and spots of the layout, in pixels.
export const pixels = (values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, `${value}px`]));

// Style of a card at a spot: moved, so that the cards beside it stay where they are in the layout of the page.
export const spotStyle = ({ x, y }, width) => ({ transform: `translate(${x}px, ${y}px)`, width: `${width}px` });

export const placeStyle = ({ x, y, w, h }) => pixels({ left: x, top: y, width: w, height: h });
