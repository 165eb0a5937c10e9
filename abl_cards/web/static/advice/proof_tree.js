// Component ProofTree: the rules that make a move legal or illegal, as nested details.
import { html } from '../html.js';
import { t } from '../words.js';

export function ProofTree({ node, depth = 0 }) {
  const negation = node.holds ? '' : t('not');
  const kindText = { input: t('input'), fact: t('always'), 'no rule': t('noRule') }[node.kind];
  const head = html`
    <code>
      ${negation}
      ${node.atom}
    </code>
    ${
      kindText &&
      html`
        ${' '}
        <span class="small">${kindText}</span>
      `
    }
  `;
  if (!node.rule) return html`<div class="why">${head}</div>`;
  const position = node.place ? `${node.place.file.split(/[\\/]/).slice(-2).join('/')}:${node.place.line}` : '';
  return html`
    <details class="why" open=${depth < 2}>
      <summary>${head}</summary>
      <p class="rule">
        <span class="small">${node.holds ? t('because') : t('nearest')}</span> <code>${node.rule}</code>${' '}
        <code class="small">${position}</code>
      </p>
      ${node.because.map(
        (premise, index) => html`
          <${ProofTree} key=${index} node=${premise} depth=${depth + 1} />
        `,
      )}
    </details>
  `;
}
