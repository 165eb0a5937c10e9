// Component VariationActs: the acts of a variation, below the act that they replace.
import { html } from '../html.js';
import { t } from '../words.js';
import { ActEntry } from './act_entry.js';

export function VariationActs({ branch, number, names, goTo, currentPlace, remove }) {
  return html`
    <div class="variation">
      <p class="small">
        ${t('variation', number + 1)}
        <button type="button" class="quiet" aria-label=${t('removeVariation', number + 1)} onClick=${remove}>✕</button>
      </p>
      <ol>
        ${branch.pictures.map(
          (frame, step) => html`
            <li key=${step}>
              <${ActEntry}
                frame=${frame}
                place=${branch.start + step}
                names=${names}
                isCurrent=${currentPlace === branch.start + step}
                go=${() => goTo(branch.start + step, number)}
              />
            </li>
          `,
        )}
      </ol>
    </div>
  `;
}
