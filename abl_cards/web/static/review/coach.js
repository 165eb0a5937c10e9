// Component Coach: the decision that is looked at: what it gave away, the moves on one scale, reasons, estimates.
import { html } from '../html.js';
import { PinButton } from '../lab/pin_button.js';
import { settings } from '../settings.js';
import { t } from '../words.js';
import { CoachAdvice } from './coach_advice.js';
import { Evaluation } from './evaluation.js';

export function Coach({ review, frame, names, advice, evaluation, glyph, hasTruth, playerName, method, isOn }) {
  const isChoice = frame.act == null && !frame.plays;
  return html`
    <section class="panel coach thought" aria-label=${t('advice')} aria-busy=${isOn && !advice}>
      ${evaluation && html`<${Evaluation} ...${{ evaluation, glyph, names, method }} />`}
      ${
        !isOn
          ? html`<p class="small">${t('coachOff')}</p>`
          : !advice
            ? html`<p class="small">${t('searching')}</p>`
            : advice.problem
              ? html`<p class="small">${isChoice ? t('noDecision') : advice.problem}</p>`
              : html`
                <${CoachAdvice}
                  ...${{ review, frame, names, advice, hasTruth, playerName }}
                  hasReasons=${hasReasons(evaluation, method)}
                />
                <${PinButton} ...${pinOf(review, advice)} />
              `
      }
    </section>
  `;
}

// Whether the reasons of the review stand there already, in the language of the page.
const hasReasons = (evaluation, method) => Boolean(evaluation?.why.length) && method.language === settings().language;

// The position of the decision, for the rules notebook.
const pinOf = ({ review, game, profile }, { state, place }) => ({
  getState: async () => state,
  game,
  profile,
  at: `${review}/${place}`,
});
