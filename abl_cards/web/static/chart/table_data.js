// Values of a chart as rows, and rows as CSV.
export function chartRows(plot) {
  if (plot.kind === 'lines') {
    const rows = Object.entries(plot.lines).flatMap(([name, points]) =>
      points.map(([x, y]) => {
        const [, low = '', high = ''] = plot.intervals?.[name]?.find(([place]) => place === x) ?? [];
        return [name, x, y, low, high];
      }),
    );
    return [['line', plot.x.label, plot.y.label, 'low', 'high'], ...rows];
  }
  if (plot.kind === 'matrix') {
    const rows = plot.rows.flatMap((row, down) =>
      plot.columns.map((column, across) => [
        row,
        column,
        plot.values[down]?.[across] ?? '',
        ...(plot.bounds?.[down]?.[across] ?? ['', '']),
        plot.counts?.[down]?.[across] ?? '',
      ]),
    );
    return [['row', 'column', plot.value.label, 'low', 'high', 'n'], ...rows];
  }
  const rows = Object.entries(plot.bars).map(([name, bar]) => [
    ...(plot.groups?.[name] ?? ['', name]),
    ...bar.map((value) => value ?? ''),
    plot.counts?.[name] ?? '',
  ]);
  return [['panel', 'name', plot.x.label, 'low', 'high', 'n'], ...rows];
}

const cellText = (cell) =>
  /[",\n\r]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell ?? '');

export const csvText = (rows) => rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
