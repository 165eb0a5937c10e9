// Classes of lines, in the order of the figures of documents; published lines have no colour of their own.
const SERIES = 7,
  DASHES = 6;

export const isPublished = (plot, name) => Boolean(plot.dashed?.includes(name) && !plot.intervals?.[name]);

// Class of a group that gives a line and its marker and name their colour.
export const seriesClass = (plot, name, index) =>
  isPublished(plot, name) ? 'series-published' : `series-${(index % SERIES) + 1}`;

export const lineClass = (plot, name, index) => (isPublished(plot, name) ? 'series' : `series dash-${index % DASHES}`);
