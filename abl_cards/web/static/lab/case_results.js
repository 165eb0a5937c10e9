// Component CaseResults: test cases that fail.
import { html } from '../html.js';
import { t } from '../words.js';

export function CaseResults({ result, goes, open }) {
  const heading = result.wrong
    ? t('casesWrong', result.wrong)
    : goes
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
        (each) => html`
          <li key=${each.line}>
            <button type="button" class="quiet" onClick=${() => open('cases.jsonl', each.line)}>
              cases.jsonl:${each.line}
            </button>${' '}
            ${each.said} <span class="small">${each.why}</span>
          </li>
        `,
      )}
    </ul>
  `;
}
