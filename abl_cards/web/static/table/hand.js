// Component Hand: cards of the hand, with arrow keys to move between them.
import { announce } from '../announce.js';
import { cardName } from '../cards/card_text.js';
import { HandCard } from '../cards/hand_card.js';
import { html, useLayoutEffect, useRef, useState } from '../html.js';
import { onKeys } from '../keys.js';
import { cardCount, t } from '../words.js';

export function Hand({ view, welcome, selection }) {
  const [focus, setFocus] = useState(0);
  const refs = useRef([]);
  const { cards, selected, matches, toggle } = selection;
  const decision = view.asked;
  const focused = Math.min(focus, Math.max(0, cards.length - 1));
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
      aria-label=${`${t('hand')}, ${cardCount(cards.length)}`}
      data-cards=${cards.length}
      onKeyDown=${move}
    >
      ${cards.map(
        (card, index) => html`
          <${HandCard}
            key=${card.key}
            deck=${welcome.deck}
            text=${card.text}
            index=${index}
            selected=${selected.includes(card.key)}
            wild=${view.orders.wild.includes(card.text)}
            tab=${index === focused}
            dim=${decision != null && !selected.includes(card.key) && !matches.more.includes(card.text)}
            buttonRef=${(element) => {
              refs.current[index] = element;
            }}
            focus=${() => setFocus(index)}
            toggle=${() => {
              announce(t(selected.includes(card.key) ? 'unpicked' : 'picked', cardName(welcome.deck, card.text)));
              toggle(card.key);
            }}
          />
        `,
      )}
    </div>
  `;
}
