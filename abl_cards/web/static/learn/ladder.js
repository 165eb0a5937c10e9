// Component Ladder: choose a play, and see what beats it; the server's engine answers.
import { CardRow } from '../cards/card_row.js';
import { html, useRef, useState } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { KindAnswers } from './kind_answers.js';
import { SuitAnswers } from './suit_answers.js';
import { useRequest } from './use_request.js';

const groupOf = (groups, label) =>
  Math.max(
    0,
    groups.findIndex((group) => group.labels.includes(label)),
  );

export function Ladder({ facts }) {
  const { groups, first, tricks } = facts.ladder;
  const [label, setLabel] = useState(first);
  const query = new URLSearchParams({ name: facts.game, profile: facts.profile ?? '', label });
  const { value, problem } = useRequest(`/api/how-to/beats?${query}`);
  const shown = useRef(null);
  if (value?.found) shown.current = value;
  if (first == null) return null;
  const group = groups[groupOf(groups, label)];
  const place = group.labels.indexOf(label);
  const step = (by) => setLabel(group.labels[Math.min(group.labels.length - 1, Math.max(0, place + by))]);
  const answer = shown.current;
  return html`
    <div class="ladder">
      ${
        groups.length > 1 &&
        html`
          <p class="small" id="ladder-pick">${t('learnPick')}</p>
          <div class="pick" role="group" aria-labelledby="ladder-pick">
            ${groups.map(
              (item) => html`
                <button
                  key=${item.first}
                  type="button"
                  aria-pressed=${item === group}
                  onClick=${() => setLabel(item.first)}
                >
                  ${localise(item.name)}
                </button>
              `,
            )}
          </div>
        `
      }
      <div class="step">
        <button type="button" disabled=${place <= 0} onClick=${() => step(-1)}>◀ ${t('learnWeaker')}</button>
        <div class="on-table">
          ${answer && html`<${CardRow} deck=${facts.deck} cards=${answer.play.cards} />`}
          <p role="status">${answer && t('learnOnTable', localise(answer.play.text))}</p>
        </div>
        <button type="button" disabled=${place >= group.labels.length - 1} onClick=${() => step(1)}>
          ${t('learnStronger')} ▶
        </button>
      </div>
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      ${value && !value.found && html`<p class="small">–</p>`}
      ${
        answer &&
        (tricks
          ? html`<${SuitAnswers} answer=${answer} deck=${facts.deck} />`
          : html`<${KindAnswers} answer=${answer} deck=${facts.deck} />`)
      }
    </div>
  `;
}
