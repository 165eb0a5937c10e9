// Component CaseResults: test cases that fail.
import { html } from '../html.js';
import { t } from '../words.js';

export function CaseResults({ result, running, openFile }) {
  const heading = result.wrong
    ? t('casesWrong', result.wrong)
    : running
      ? ''
      : result.cases
        ? t('casesHold', result.cases)
        : t('casesNone');
  return html`
    <p role="status">
      <b>${heading}</b>
    </p>
    <ul class="problems">
      ${result.first.map(
        (entry) => html`
          <li key=${entry.line}>
            <button type="button" class="quiet" onClick=${() => openFile('cases.jsonl', entry.line)}>
              cases.jsonl:${entry.line}
            </button>${' '}
            ${entry.said} <span class="small">${entry.why}</span>
          </li>
        `,
      )}
    </ul>
  `;
}
