// Component ReasonColumns: why a move was legal or not before, and why it is now, side by side.
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { RuleTree } from './rule_tree.js';

export function ReasonColumns({ reasons, names, close, open }) {
  const side = (name, word) => html`
    <section>
      <h4>${t(word)}</h4>
      ${
        reasons[name].problem
          ? html`
            <p class="small" title=${reasons[name].problem}>
              ${t('reasonNone')}
            </p>
          `
          : reasons[name].readings.map(
              (reading, index) => html`
                <div key=${index}>
                  <p class=${reading.legal ? 'is-legal' : 'is-illegal'}>
                    <${Words} text=${reading.label} names=${names} />${t('colon')}
                    <b>${t(reading.legal ? 'legal' : 'illegal')}</b>
                  </p>
                  <${RuleTree} node=${reading.why} open=${open} />
                </div>
              `,
            )
      }
    </section>
  `;
  return html`
    <div class="reasons" role="group" aria-label=${t('reasonsOf')}>
      <header>
        <h4><${Words} text=${reasons.move.text} names=${names} /></h4>
        <span class="grow"></span>
        ${
          close &&
          html`
            <button type="button" class="quiet" aria-label=${t('close')} onClick=${close}>
              ✕
            </button>
          `
        }
      </header>
      <div class="columns">${side('before', 'labBefore')} ${side('now', 'labNow')}</div>
    </div>
  `;
}
