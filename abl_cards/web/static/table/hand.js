// Component Hand: cards of the hand, with arrow keys to move between them.
import { announce } from '../announce.js';
import { cardName } from '../cards/card_text.js';
import { HandCard } from '../cards/hand_card.js';
import { html, useLayoutEffect, useRef, useState } from '../html.js';
import { onKeys } from '../keys.js';
import { count, t } from '../words.js';

export function Hand({ seen, welcome, picking }) {
  const [focus, setFocus] = useState(0);
  const refs = useRef([]);
  const { cards, picked, now, toggle } = picking;
  const asked = seen.asked;
  const at = Math.min(focus, Math.max(0, cards.length - 1));
  const go = (place) => {
    setFocus(place);
    refs.current[place]?.focus();
  };
  const move = (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (event.key in steps) go((at + steps[event.key] + cards.length) % cards.length);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(cards.length - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  useLayoutEffect(
    () =>
      onKeys({
        m: () => cards.length > 0 && go(at),
        ArrowLeft: () => cards.length > 0 && go(at),
        ArrowRight: () => cards.length > 0 && go(at),
      }),
    [cards.length, at],
  );
  return html`
    <div
      class="hand"
      role="group"
      aria-label=${`${t('hand')}, ${count(cards.length)}`}
      data-cards=${cards.length}
      onKeyDown=${move}
    >
      ${cards.map(
        (card, place) => html`
          <${HandCard}
            key=${card.key}
            deck=${welcome.deck}
            text=${card.text}
            place=${place}
            picked=${picked.includes(card.key)}
            wild=${seen.orders.wild.includes(card.text)}
            tab=${place === at}
            dim=${asked != null && !picked.includes(card.key) && !now.more.includes(card.text)}
            refer=${(element) => {
              refs.current[place] = element;
            }}
            focus=${() => setFocus(place)}
            toggle=${() => {
              announce(t(picked.includes(card.key) ? 'unpicked' : 'picked', cardName(welcome.deck, card.text)));
              toggle(card.key);
            }}
          />
        `,
      )}
    </div>
  `;
}
