// Component CaseResults: test cases that fail.
import { html } from '../html.js';
import { t } from '../words.js';
import { isRunning } from './notebook.js';

export function CaseResults({ cell, result, openFile }) {
  const heading = result.wrong
    ? t('casesWrong', result.wrong)
    : isRunning(cell)
      ? ''
      : result.cases
        ? t('casesHold', result.cases)
        : t('casesNone');
  return html`
    <p role="status" class=${result.wrong ? 'problem' : 'good'}>
      <b>${heading}</b>
    </p>
    <ul class="problems">
      ${(result.first ?? []).map(
        (entry) => html`
          <li key=${entry.line}>
            ${
              openFile
                ? html`
                  <button type="button" class="quiet" onClick=${() => openFile('cases.jsonl', entry.line)}>
                    cases.jsonl:${entry.line}
                  </button>
                `
                : html`<code>cases.jsonl:${entry.line}</code>`
            }${' '}
            ${entry.said} <span class="small">${entry.why}</span>
          </li>
        `,
      )}
    </ul>
  `;
}
