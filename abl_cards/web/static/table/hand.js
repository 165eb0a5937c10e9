// Component Hand: cards of the hand, picked by taps, strokes and keys; arrow keys move between them.
import { announce } from '../announce.js';
import { cardName } from '../cards/card_text.js';
import { HandCard } from '../cards/hand_card.js';
import { html, useLayoutEffect, useRef, useState } from '../html.js';
import { onKeys } from '../keys.js';
import { cardCount, t } from '../words.js';
import { fanOut } from './layout.js';
import { placeStyle } from './place_style.js';
import { useSweep } from './use_sweep.js';

const NUM_ROWS = { portrait: 2, landscape: 1, desktop: 1 };
const HANDLE = 8;
const DOUBLE_MS = 320;

// A strip along the top of the cards of a group.
const handleStyle = (from, to, step) =>
  placeStyle({ x: from.x, y: from.y - HANDLE, w: to.x - from.x + Math.max(12, step - 2), h: HANDLE });

export function Hand({ view, welcome, selection, layout }) {
  const [focus, setFocus] = useState(0);
  const refs = useRef([]);
  const lastTap = useRef({});
  const { cards, gaps, selected, matches, toggle } = selection;
  const { swallowsClick, handlers } = useSweep(selection);
  const decision = view.asked;
  const focused = Math.min(focus, Math.max(0, cards.length - 1));
  const { w, h } = layout.hand;
  const fan = fanOut(cards.length, { w, h }, { card: layout.card, numRows: NUM_ROWS[layout.form], gaps });
  const starts = gaps.length ? [0, ...gaps] : [];
  const focusCard = (index) => {
    setFocus(index);
    refs.current[index]?.focus();
  };
  const move = (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (event.key in steps) focusCard((focused + steps[event.key] + cards.length) % cards.length);
    else if (event.key === 'Home') focusCard(0);
    else if (event.key === 'End') focusCard(cards.length - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  useLayoutEffect(
    () =>
      onKeys({
        m: () => cards.length > 0 && focusCard(focused),
        ArrowLeft: () => cards.length > 0 && focusCard(focused),
        ArrowRight: () => cards.length > 0 && focusCard(focused),
      }),
    [cards.length, focused],
  );
  return html`
    <div
      class="hand"
      role="group"
      aria-label=${`${t('hand')}${t('comma')}${cardCount(cards.length)}`}
      data-cards=${cards.length}
      style=${placeStyle(layout.hand)}
      onKeyDown=${move}
      ...${handlers}
    >
      ${cards.map(
        (card, index) => html`
          <${HandCard}
            key=${card.key}
            deck=${welcome.deck}
            text=${card.text}
            index=${index}
            spot=${fan.spots[index]}
            width=${fan.width}
            selected=${selected.includes(card.key)}
            wild=${view.orders.wild.includes(card.text)}
            tab=${index === focused}
            dim=${decision?.kind === 'play' && !selected.includes(card.key) && !matches.more.includes(card.text)}
            buttonRef=${(element) => {
              refs.current[index] = element;
            }}
            focus=${() => setFocus(index)}
            toggle=${() => {
              if (swallowsClick()) return;
              announce(t(selected.includes(card.key) ? 'unpicked' : 'picked', cardName(welcome.deck, card.text)));
              const isDouble = lastTap.current.key === card.key && Date.now() - lastTap.current.time < DOUBLE_MS;
              lastTap.current = { key: card.key, time: Date.now() };
              if (isDouble && decision?.kind === 'play') selection.selectRank(index);
              else toggle(card.key);
            }}
          />
        `,
      )}
      ${starts.map((start, group) => {
        const last = (starts[group + 1] ?? cards.length) - 1;
        const [from, to] = [fan.spots[start], fan.spots[last]];
        if (from.y !== to.y) return null;
        return html`
          <button
            key=${start}
            type="button"
            class="group"
            tabindex="-1"
            aria-label=${t('takeGroup', group + 1)}
            style=${handleStyle(from, to, fan.step)}
            onClick=${() => selection.toggleAll(cards.slice(start, last + 1).map((card) => card.key))}
          ></button>
        `;
      })}
    </div>
  `;
}
