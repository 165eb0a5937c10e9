// Component MutationResults: rule edits that no test case detects.
import { html } from '../html.js';
import { t } from '../words.js';
import { ShareBar } from './share_bar.js';

export function MutationResults({ result, lab, isStatic }) {
  const changing = result.edits - result.same;
  const addCase = (value) =>
    lab.do(async () => {
      const { text } = await lab.call('read', { name: 'cases.jsonl' }).catch(() => ({ text: '' }));
      const start = text && !text.endsWith('\n') ? `${text}\n` : text;
      await lab.flush();
      await lab.change('write', { name: 'cases.jsonl', text: `${start}${JSON.stringify(value)}\n` });
      await lab.openFile('cases.jsonl', start.split('\n').length);
    });
  return html`
    <${ShareBar} name=${t('mutationsShare')} share=${changing ? result.noticed / changing : 1} />
    <p class="small">
      ${t('mutationsFound', result.noticed, changing, result.edits, result.of, result.same, result.cases)}
      ${' '}${t(result.parents ? 'mutationsAllRules' : 'mutationsOwnRules')}
    </p>
    <p>
      <b>${result.left.length ? t('mutationsLeft') : t('mutationsAll')}</b>
    </p>
    <ul class="problems">
      ${result.left.map(
        (mutation, index) => html`
          <li key=${index}>
            <code>${mutation.edit}</code> <span class="small">${mutation.said}</span>
            ${
              mutation.case &&
              html`
                <details open=${isStatic}>
                  <summary class="small">${t('wouldNotice')}</summary>
                  <code>${JSON.stringify(mutation.case)}</code>
                  ${
                    !isStatic &&
                    html`
                      <button type="button" class="small" onClick=${() => addCase(mutation.case)}>
                        ${t('caseAdd')}
                      </button>
                    `
                  }
                </details>
              `
            }
          </li>
        `,
      )}
    </ul>
  `;
}
