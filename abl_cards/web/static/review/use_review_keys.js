// Hook useReviewKeys: the keys of a review, as on lichess where there is such a thing.
import { useLayoutEffect } from '../html.js';
import { onKeys } from '../keys.js';

const isControl = (event) => event.target.closest?.('button, a, summary, input');

export function useReviewKeys(sheet) {
  const { index, last, isTrying, goTo, goToGlyph, playback, startLearning, leave, learn, tryOut, toggle, flip } = sheet;
  // While cards are chosen, the arrows move among them.
  const stepping = {
    ArrowLeft: () => goTo(index - 1),
    ArrowRight: () => goTo(index + 1),
    Home: () => goTo(0),
    End: () => goTo(last),
    ' ': (event) => (isControl(event) ? false : playback.setRunning(!playback.isRunning)),
  };
  useLayoutEffect(() =>
    onKeys({
      ...(isTrying ? {} : stepping),
      b: () => goToGlyph('??'),
      m: () => goToGlyph('?'),
      i: () => goToGlyph('?!'),
      n: () => goToGlyph(''),
      r: startLearning,
      x: () => !learn.isOn && tryOut.toggle(),
      l: () => toggle('coach'),
      o: () => toggle('hands'),
      e: () => toggle('estimates'),
      f: flip,
      Escape: leave,
      ...(learn.isAnswered ? { Enter: learn.panel.next } : {}),
    }),
  );
}
