// Component PinButton: pin a position to the rules notebook; afterwards it leads there.
import { html, useEffect, useState } from '../html.js';
import { t } from '../words.js';
import { pinToLab } from './pin.js';

// `getState` resolves with the JSON state; `at` names the position, so that another one can be pinned.
export function PinButton({ getState, game, profile, at }) {
  const [isPinned, setIsPinned] = useState(false);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    setIsPinned(false);
    setProblem('');
  }, [at]);
  const pin = async () => {
    try {
      pinToLab(await getState(), game, profile);
      setIsPinned(true);
    } catch (error) {
      setProblem(error.message);
    }
  };
  return html`
    <span class="pin">
      ${
        isPinned
          ? html`<a class="small" href="#/rules">${t('pinOpen')}</a>`
          : html`
            <button type="button" class="quiet small" onClick=${pin}>
              ${t('pinThis')}
            </button>
          `
      }
      ${problem && html`<span class="problem" role="status">${problem}</span>`}
    </span>
  `;
}
