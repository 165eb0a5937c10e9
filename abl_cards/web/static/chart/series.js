// Classes of lines, in the order of the figures of documents.
const SERIES = 7,
  DASHES = 6;

export const seriesClass = (index) => `series-${(index % SERIES) + 1}`;

// Classes of a line; published ones have no colour of their own.
export const lineClass = (index, isPublished) =>
  `series ${isPublished ? 'published' : `${seriesClass(index)} dash-${index % DASHES}`}`;
