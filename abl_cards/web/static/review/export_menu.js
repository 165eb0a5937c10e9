// Component ExportMenu: the review as files: record with variations, decisions, all figures, the graph.
import { html } from '../html.js';
import { request } from '../link.js';
import { t } from '../words.js';
import { fileName, saveFile } from '../save_file.js';
import { toCsv } from './decisions_csv.js';

const PICTURE_SIZE = { width: 900, height: 640 };

export function ExportMenu({ review, work, rows, drawing, caption, makePosition, isOpen }) {
  const isDone = work.decisions.length > 0;
  const saveRecord = async () => {
    const record = await request(`/api/reviews/${review.review}/record`);
    saveFile(`${fileName(review.game)}.jsonl`, `${JSON.stringify(record)}\n`, 'application/json');
  };
  const saveTable = () => saveFile('decisions.csv', toCsv(rows()), 'text/csv');
  const saveGraph = async () => {
    const { timelineSvg } = await import('./timeline_svg.js');
    saveFile('review.svg', timelineSvg(drawing.current, caption), 'image/svg+xml');
  };
  const savePicture = async () => {
    const { tableSvg } = await import('../table/table_svg.js');
    saveFile('table.svg', tableSvg(makePosition(), PICTURE_SIZE, { isOpen }), 'image/svg+xml');
  };
  const item = (word, isEnabled, save) => html`
    <button type="button" disabled=${!isEnabled} onClick=${save}>${t(word)}</button>
  `;
  return html`
    <details class="export">
      <summary class="as-button">${t('export')} ▾</summary>
      <div>
        ${item('asRecord', true, saveRecord)} ${item('asCsv', isDone, saveTable)}
        ${item('asJson', isDone, () => saveFile('review.json', JSON.stringify(work.result), 'application/json'))}
        ${item('asSvg', isDone, saveGraph)} ${item('asPicture', true, savePicture)}
      </div>
    </details>
  `;
}
