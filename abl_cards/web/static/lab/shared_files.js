// Component SharedFiles: files of a link, shown before they are opened.
import { html } from '../html.js';
import { t } from '../words.js';

export function SharedFiles({ offer, accept, refuse }) {
  return html`
    <section class="panel offered" role="alertdialog" aria-label=${t('linkOpen')}>
      <p>${t('linkBrings', offer.game, Object.keys(offer.files).join(', ').slice(0, 400))}</p>
      ${Object.entries(offer.files).map(
        ([name, text]) => html`
          <details key=${name}>
            <summary>
              ${name.slice(0, 60)} <span class="small">${text.length}</span>
            </summary>
            <pre>${text.slice(0, 20000)}</pre>
          </details>
        `,
      )}
      <p class="buttons">
        <button type="button" class="strong" onClick=${accept}>
          ${t('linkOpen')}
        </button>
        <button type="button" onClick=${refuse}>
          ${t('linkRefuse')}
        </button>
      </p>
    </section>
  `;
}
