// Component LabDetails: result of the last command of the lab.
import { ProofTree } from '../advice/proof_tree.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { BalanceTable } from './balance_table.js';
import { moveText } from './move_text.js';

export function LabDetails({ details, close, openFile }) {
  return html`
    <div class="lab-more">
      <button type="button" class="quiet" aria-label=${t('close')} onClick=${close}>
        ✕
      </button>
      ${
        details.kind === 'replay' &&
        html`
          <p>${t('labReplayed', details.found.episodes, details.found.plays, details.found.different)}</p>
          <ul>
            ${details.found.first.map(
              (entry, index) => html`
                <li key=${index}>
                  ${entry.line}: ${entry.text}
                </li>
              `,
            )}
          </ul>
        `
      }
      ${
        details.kind === 'link' &&
        html`
          <p>${t('linkMade', details.text.length)}</p>
          <input
            readonly
            aria-label=${t('linkMake')}
            class="link"
            value=${details.text}
            onFocus=${(event) => event.target.select()}
          />
        `
      }
      ${details.kind === 'text' && html`<p>${details.text}</p>`}
      ${details.kind === 'balance' && html`<${BalanceTable} sides=${details.sides} />`}
      ${
        details.kind === 'coverage' &&
        html`
          <p>${t('labCovered', details.found.silent.length, details.found.rules, details.found.games)}</p>
          <ul class="problems">
            ${details.found.silent.map(
              (rule, index) => html`
                <li key=${index} class="small">
                  <button type="button" class="quiet" onClick=${() => openFile(rule.file, rule.line)}>
                    ${rule.file}:${rule.line}
                  </button>${' '}
                  <code>${rule.rule}</code>
                </li>
              `,
            )}
          </ul>
        `
      }
      ${
        details.kind === 'words' &&
        details.sections.map(
          (section) => html`
            <h3 key=${section.heading}>${section.heading}</h3>
            <ul>
              ${section.lines.map(
                (line, index) => html`
                  <li key=${index}>${line}</li>
                `,
              )}
            </ul>
          `,
        )
      }
      ${
        details.kind === 'why' &&
        html`
          <h3>${moveText(details.move)}</h3>
          ${details.readings.map(
            (reading, index) => html`
              <${ProofTree} key=${index} node=${reading.why} />
            `,
          )}
        `
      }
    </div>
  `;
}
