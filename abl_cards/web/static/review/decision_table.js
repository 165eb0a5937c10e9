// Component DecisionTable: all decisions with a choice, with what they gave away.
import { fixedText } from '../format.js';
import { html, useState } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { GLYPHS } from './glyphs.js';
import { lossTexts } from './summaries.js';

export function DecisionTable({ work, names, tricks, playerName, seatFilter, index, goTo }) {
  const [isByLoss, setIsByLoss] = useState(false);
  const shown = work.decisions.filter((decision) => seatFilter == null || decision.seat === seatFilter);
  const ordered = isByLoss ? [...shown].sort((a, b) => b.loss - a.loss) : shown;
  return html`
    <section class="panel decisions">
      <h2>${t('allDecisions')} <span class="small">${shown.length}</span></h2>
      <label class="small">
        <input type="checkbox" checked=${isByLoss} onChange=${() => setIsByLoss(!isByLoss)} /> ${t('byLoss')}
      </label>
      <div class="scroll" tabindex="0" role="region" aria-label=${t('allDecisions')}>
        <table class="grid">
          <thead>
            <tr>
              ${[
                'actNumber',
                'trickWord',
                'seatWord',
                'move',
                'pointsMade',
                'bestFound',
                'givenAway',
                'agreedShort',
              ].map((word) => html`<th key=${word} scope="col">${t(word)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${ordered.map((decision) => {
              const glyph = work.glyphs.get(decision.place);
              return html`
                <tr key=${decision.place} class=${decision.place === index ? 'is-made' : ''}>
                  <th scope="row">
                    <button type="button" class="quiet go" onClick=${() => goTo(decision.place, null)}>
                      ${decision.place + 1}
                    </button>
                  </th>
                  <td>${tricks[decision.place]}</td>
                  <td>${playerName(decision.seat)}</td>
                  <td><${Words} text=${decision.tried.find((move) => move.made).text} names=${names} /></td>
                  <td>${fixedText(decision.made, 2)}</td>
                  <td><${Words} text=${decision.better} names=${names} /></td>
                  <td>
                    ${lossTexts(decision).join(' ± ')}${' '}
                    ${glyph && html`<b class=${`mark-of grade${GLYPHS.indexOf(glyph)}`}>${glyph}</b>`}
                  </td>
                  <td>${decision.agreed ? '✓' : ''}</td>
                </tr>
              `;
            })}
          </tbody>
        </table>
      </div>
    </section>
  `;
}
