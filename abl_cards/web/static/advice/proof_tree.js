// Component ProofTree: the rules that make a move legal or illegal, as nested details.
import { html } from '../html.js';
import { t } from '../words.js';

export function ProofTree({ why, depth = 0 }) {
  const mark = why.holds ? '' : t('not');
  const kind = { told: t('told'), fact: t('always'), 'no rule': t('noRule') }[why.kind];
  const head = html`
    <code>
      ${mark}
      ${why.atom}
    </code>
    ${
      kind &&
      html`
        ${' '}
        <span class="small">${kind}</span>
      `
    }
  `;
  if (!why.rule) return html`<div class="why">${head}</div>`;
  const place = why.place ? `${why.place.file.split(/[\\/]/).slice(-2).join('/')}:${why.place.line}` : '';
  return html`
    <details class="why" open=${depth < 2}>
      <summary>${head}</summary>
      <p class="rule">
        <span class="small">${why.holds ? t('because') : t('nearest')}</span> <code>${why.rule}</code>${' '}
        <span class="small">${place}</span>
      </p>
      ${why.because.map(
        (each, place_) => html`
          <${ProofTree} key=${place_} why=${each} depth=${depth + 1} />
        `,
      )}
    </details>
  `;
}
