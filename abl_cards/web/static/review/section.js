// Component Section: open a record, or step through a review.
import { html, useEffect, useState } from '../html.js';
import { ask } from '../link.js';
import { RecordForm } from './record_form.js';
import { ReviewSheet } from './review_sheet.js';
import './words.js';

export function Section({ rest }) {
  const [name, act] = rest;
  const [sheet, setSheet] = useState(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (!name || sheet?.review === name) return;
    ask(`/api/reviews/${encodeURIComponent(name)}`).then(setSheet, (error) => {
      setProblem(error.message);
      location.replace('#/review');
    });
  }, [name]);
  const opened = (made) => {
    setProblem('');
    setSheet(made);
    location.hash = `#/review/${made.review}/0`;
  };
  if (!name || !sheet)
    return html`
      ${
        problem &&
        html`
          <p class="problem" role="alert">
            ${problem}
          </p>
        `
      }
      <${RecordForm} opened=${opened} />
    `;
  return html`
    <${ReviewSheet}
      key=${sheet.review}
      sheet=${sheet}
      at=${Math.min(sheet.pictures.length - 1, Math.max(0, Number(act) || 0))}
    />
  `;
}
