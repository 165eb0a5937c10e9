// Component Section: open a record, or step through a review.
import { html, loadStyle, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { RecordForm } from './record_form.js';
import { ReviewSheet } from './review_sheet.js';
import './words.js';

await loadStyle('review/review');

export function Section({ path }) {
  const [id, index] = path;
  const [review, setReview] = useState(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (!id || review?.review === id) return;
    request(`/api/reviews/${encodeURIComponent(id)}`).then(setReview, (error) => {
      setProblem(error.message);
      location.replace('#/review');
    });
  }, [id]);
  const onOpen = (created) => {
    setProblem('');
    setReview(created);
    location.hash = `#/review/${created.review}/0`;
  };
  if (!id || !review)
    return html`
      ${
        problem &&
        html`
          <p class="problem" role="alert">
            ${problem}
          </p>
        `
      }
      <${RecordForm} onOpen=${onOpen} />
    `;
  return html`
    <${ReviewSheet}
      key=${review.review}
      review=${review}
      index=${Math.min(review.pictures.length - 1, Math.max(0, Number(index) || 0))}
    />
  `;
}
