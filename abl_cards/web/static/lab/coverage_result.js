// Component CoverageResult: rules, plays and preferences that never occurred in some games.
import { html } from '../html.js';
import { t } from '../words.js';
import { ShareBar } from './share_bar.js';

export function CoverageResult({ result, openFile }) {
  const fired = result.rules ? 1 - result.silent.length / result.rules : 1;
  const list = (word, values) =>
    values.length > 0 &&
    html`
      <p class="small">${t(word)} ${values.map((value) => html`<code key=${value}>${value}</code> `)}</p>
    `;
  return html`
    <${ShareBar} name=${t('coverageShare')} share=${fired} />
    <p>${t('labCovered', result.silent.length, result.rules, result.games)}</p>
    <ul class="problems">
      ${result.silent.map(
        (rule, index) => html`
          <li key=${index} class="small">
            ${
              openFile
                ? html`
                  <button type="button" class="quiet" onClick=${() => openFile(rule.file, rule.line)}>
                    ${rule.file}:${rule.line}
                  </button>
                `
                : html`<code>${rule.file}:${rule.line}</code>`
            }${' '}
            <code>${rule.rule}</code> ${rule.own && html`<b>${t('labOwn')}</b>`}
          </li>
        `,
      )}
    </ul>
    ${list('coverageLabels', result.labels)} ${list('coveragePreferences', result.preferences)}
  `;
}
