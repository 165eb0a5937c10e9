// Component TryControls: hand, line and buttons of the seat to decide at a position of a review.
import { html, useLayoutEffect } from '../html.js';
import { onKeys } from '../keys.js';
import { ChoiceBar } from '../play/choice_bar.js';
import { Actions } from '../play/actions.js';
import { MessageLine } from '../play/message_line.js';
import { localise } from '../settings.js';
import { Hand } from '../table/hand.js';
import { useCardSelection } from '../table/use_card_selection.js';
import { t } from '../words.js';

export function TryControls({ layout, position, link, deck, game, names, turnText, onDecide, items }) {
  const { seat, hand, orders, asked } = position;
  const view = { me: seat, turn: seat, at: 0, phase: asked?.kind, asked, hand, orders };
  const selection = useCardSelection(view, link, { deck, game });
  const { matches, texts, reading } = selection;
  const current = matches.readings[reading];
  const hasCards = asked?.kind === 'choice' && asked.options.every((option) => option.card);
  const wrongCount = hasCards && asked.count != null && texts.length !== asked.count;
  const decide = () => {
    if (!asked) return false;
    if (asked.kind === 'choice') {
      if (hasCards && texts.length && !wrongCount) onDecide({ values: texts });
      return hasCards;
    }
    if (current) onDecide({ value: current.value });
    return true;
  };
  const pass = () => asked?.kind === 'play' && asked.passes && onDecide({ value: 'pass' });
  useLayoutEffect(() =>
    onKeys({
      Enter: (event) => (event.target.closest?.('button:not(.card), a, summary') ? false : decide()),
      p: pass,
      Backspace: () => selection.clear(),
    }),
  );
  const pickedText = asked?.count == null ? `×${texts.length}` : t('outOf', texts.length, asked.count);
  const buttons = [
    { name: 'pass', text: t('pass'), key: 'P', isEnabled: asked?.passes, act: pass },
    { name: 'clear', text: t('clear'), isEnabled: texts.length, act: () => selection.clear() },
    ...items,
  ];
  return html`
    <section class="mine" aria-label=${t('actions')}>
      ${
        asked?.kind === 'choice' &&
        !hasCards &&
        html`
          <${ChoiceBar}
            layout=${layout}
            options=${asked.options}
            names=${names}
            choose=${(value) => onDecide({ values: [value] })}
          />
        `
      }
      <${MessageLine}
        view=${view}
        names=${names}
        selection=${selection}
        layout=${layout}
        turnText=${turnText}
        wrongCount=${wrongCount}
        hint=${null}
      />
      <${Actions}
        layout=${layout}
        main=${{
          text: hasCards ? `${localise(asked.stage)} ${pickedText}` : t('lay'),
          isEnabled: asked && (hasCards ? texts.length && !wrongCount : current),
          act: decide,
        }}
        items=${buttons}
      />
      <${Hand} view=${view} welcome=${{ deck }} selection=${selection} layout=${layout} />
    </section>
  `;
}
