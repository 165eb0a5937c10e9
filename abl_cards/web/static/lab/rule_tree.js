// Component RuleTree: the rules behind a move, nested; the one that the other text lacks is marked.
import { html } from '../html.js';
import { t } from '../words.js';

const hasDifference = (node) => Boolean(node.differs) || (node.because ?? []).some(hasDifference);

export function RuleTree({ node, open, depth = 0 }) {
  const { place } = node;
  const kindText = { input: t('input'), fact: t('always'), 'no rule': t('noRule') }[node.kind];
  const placeText = place ? `${place.file}:${place.line}` : '';
  const head = html`
    <code>${node.holds ? '' : t('not')}${node.atom}</code>${' '}
    ${kindText && !node.differs && html`<span class="small">${kindText}</span>`}
  `;
  const where =
    place?.own && open
      ? html`
        <button type="button" class="quiet small" onClick=${() => open(place.file, place.line)}>
          ${placeText}
        </button>
      `
      : html`<span class="small">${placeText}</span>`;
  if (!node.rule) {
    return html`<div class=${`why ${node.differs ? 'differs' : ''}`}>${head} ${place && where}</div>`;
  }
  return html`
    <details class=${`why ${node.differs ? 'differs' : ''}`} open=${depth < 1 || hasDifference(node)}>
      <summary>${head}</summary>
      <p class="rule">
        <span class="small">${node.holds ? t('because') : t('nearest')}</span> <code>${node.rule}</code> ${where}
      </p>
      ${node.because.map(
        (premise, index) => html`
          <${RuleTree} key=${index} node=${premise} open=${open} depth=${depth + 1} />
        `,
      )}
    </details>
  `;
}
