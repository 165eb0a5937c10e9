// Component Section: open a record, or step through a review.
import { html, loadStyle, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { t } from '../words.js';
import { Opener } from './opener.js';
import './review_keys.js';
import { forgetLast, keepGame, keepLast, openText, readLast } from './open_game.js';
import { ReviewSheet } from './review_sheet.js';
import { useDrop } from './use_drop.js';
import './words.js';

await loadStyle('review/review');

export function Section({ path }) {
  const [id, index, line] = path;
  const [review, setReview] = useState(null);
  const [problem, setProblem] = useState('');
  const show = (opened, place = 0) => {
    setProblem('');
    setReview(opened);
    keepGame(opened);
    location.hash = `#/review/${opened.review}/${place}`;
  };
  const open = (fields) =>
    openText(fields).then(
      (opened) => show(opened),
      (error) => setProblem(error.message),
    );
  const isDragging = useDrop((text) => open({ text, game: '' }));
  // A review that the server has forgotten is opened again from its record.
  const reopen = (error) => {
    const last = readLast();
    if (last?.id === id && last.text) return openText(last).then((opened) => show(opened, Number(index) || 0), fail);
    return fail(error);
  };
  const fail = (error) => {
    setProblem(error.message);
    forgetLast();
    location.replace('#/review/new');
  };
  useEffect(() => {
    const last = readLast();
    if (!id && last && !sessionStorage.getItem('review')) location.replace(`#/review/${last.id}/${last.index ?? 0}`);
    if (!id || id === 'new' || review?.review === id) return;
    request(`/api/reviews/${encodeURIComponent(id)}`).then((known) => {
      setReview(known);
      keepGame(known);
    }, reopen);
  }, [id]);
  useEffect(() => {
    if (review && review.review === id) keepLast({ id, index: Number(index) || 0 });
  }, [index, review]);
  const notes = html`
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${isDragging && html`<p class="drop-here">${t('dropNow')}</p>`}
  `;
  if (!id || id === 'new') return html`${notes}<${Opener} open=${open} />`;
  if (review?.review !== id) return html`${notes}<p class="wait">${t('connecting')}</p>`;
  const lineNumber = line != null && review.branches[Number(line)] ? Number(line) : null;
  const last = lineNumber == null ? review.pictures : review.branches[lineNumber].pictures;
  const offset = lineNumber == null ? 0 : review.branches[lineNumber].start;
  return html`
    ${notes}
    <${ReviewSheet}
      key=${review.review}
      review=${review}
      line=${lineNumber}
      index=${Math.min(offset + last.length - 1, Math.max(0, Number(index) || 0))}
      setBranches=${(branches) => {
        setReview({ ...review, branches });
        keepGame(review);
      }}
    />
  `;
}
