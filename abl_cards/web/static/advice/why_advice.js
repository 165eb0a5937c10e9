// Component WhyAdvice: each reading of the picked cards, with reasons, and the rules that make it legal or illegal.
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { ProofTree } from './proof_tree.js';
import { ReasonList } from './reason_list.js';
import { StepList } from './step_list.js';
import { Verdict } from './verdict.js';

export function WhyAdvice({ answer, names }) {
  return answer.readings.map(
    (reading, index) => html`
      <div key=${index}>
        <h3>
          <${Words} text=${reading.label ?? reading.verdict?.text} names=${names} />${t('colon')}
          ${reading.legal ? t('legal') : t('illegal')}
        </h3>
        ${reading.steps && html`<${StepList} steps=${reading.steps} names=${names} />`}
        ${
          reading.verdict &&
          html`
            <${Verdict} heading=${t('chosen')} verdict=${reading.verdict} names=${names} />
          `
        }
        ${
          reading.difference?.length > 0 &&
          html`
            <h4>
              ${t('difference')} <${Words} text=${answer.best.text} names=${names} />
            </h4>
            <${ReasonList} reasons=${reading.difference} />
          `
        }
        ${
          reading.why &&
          html`
            <details>
              <summary>${t('byRules')}</summary>
              <${ProofTree} node=${reading.why} />
            </details>
          `
        }
      </div>
    `,
  );
}
