// Hook usePosition: the options of the seat to decide at a position, and a link that names selected cards there.
import { useEffect, useMemo, useState } from '../html.js';
import { request } from '../link.js';

// The part of a link to a table that the selection of cards needs.
function makeLink(place) {
  const pick = (cards) => request('/api/reviews/pick', { ...place, cards });
  return {
    send() {},
    request: ({ do: kind, cards }) =>
      kind === 'pick'
        ? pick(cards).then(
            (answer) => ({ type: 'picked', ...answer }),
            (error) => ({ type: 'error', text: error.message }),
          )
        : Promise.resolve({ type: 'error', text: '' }),
  };
}

export function usePosition(review, line, index) {
  const [position, setPosition] = useState(null);
  const place = { review: review.review, line, place: index };
  const link = useMemo(() => makeLink(place), [line, index]);
  useEffect(() => {
    let isStopped = false;
    setPosition(null);
    request('/api/reviews/position', place).then(
      (answer) => isStopped || setPosition(answer),
      (error) => isStopped || setPosition({ problem: error.message }),
    );
    return () => {
      isStopped = true;
    };
  }, [line, index]);
  return { position, link };
}
