// Hook useTableKeys: the keys of a table.
import { announce } from '../announce.js';
import { face } from '../cards/card_text.js';
import { useLayoutEffect } from '../html.js';
import { onKeys } from '../keys.js';
import { localise } from '../settings.js';
import { eventText } from '../table/event_text.js';
import { seatName } from '../table/seats.js';
import { plainText } from '../text/marked_text.js';
import { cardCount, t } from '../words.js';

export function useTableKeys(table) {
  const { view, names, welcome, selection, hasCards, submit, showLast, setShowLast } = table;
  const decision = view.asked;
  const { matches, reading } = selection;
  const status = () =>
    announce(
      [
        ...view.seats.map((info, seat) => `${seatName(view, seat)}${t('colon')}${cardCount(info.cards)}`),
        ...view.fluents
          .filter((info) => info.plain)
          .map((info) => `${localise(info.name)} ${plainText(info.value, names)}`),
        ...view.trick.map((event) => eventText(names, event)),
      ].join('. '),
    );
  // A button that was clicked by a pointer gives the focus back, so that the Enter key plays and does not click again.
  useLayoutEffect(() => {
    const release = (event) => {
      const button = event.detail ? event.target.closest?.('button:not(.card), summary') : null;
      if (button && !button.closest('dialog')) button.blur();
    };
    addEventListener('click', release, true);
    return () => removeEventListener('click', release, true);
  }, []);
  useLayoutEffect(() =>
    onKeys({
      Enter: (event) => (event.target.closest?.('button:not(.card), a, summary') ? false : table.playCards()),
      p: table.pass,
      b: table.selectBest,
      h: table.cycleHints,
      w: table.explain,
      z: () => view.back && submit({ do: 'back' }),
      s: table.changeOrder,
      l: () => setShowLast(!showLast),
      r: () => selection.setReading((reading + 1) % Math.max(1, matches.readings.length)),
      g: table.proceed,
      i: status,
      Escape: () => {
        selection.clear();
        setShowLast(false);
        table.closeAdvice();
      },
      Backspace: () => selection.clear(),
      any: (event) => {
        if (decision?.kind === 'choice' && !hasCards && /^[1-9]$/.test(event.key)) {
          const option = decision.options[Number(event.key) - 1];
          return option ? submit({ do: 'choose', values: [option.value] }) && true : false;
        }
        if (event.key.length !== 1 || event.key === ' ') return false;
        const key = event.key === '0' ? 'T' : event.key.toUpperCase();
        return view.me != null && selection.selectNext((text) => face(welcome.deck, text).rank.toUpperCase() === key);
      },
    }),
  );
}
