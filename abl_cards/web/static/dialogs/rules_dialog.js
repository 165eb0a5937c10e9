// Component RulesDialog: how the game of the table is played, read and drawn when it is first shown.
import { html, loadModule, loadStyle, useState } from '../html.js';
import { request } from '../link.js';
import { t } from '../words.js';
import { Dialog } from './dialog.js';

export function RulesDialog({ welcome }) {
  const [facts, setFacts] = useState(null);
  const [HowTo, setHowTo] = useState(null);
  const [problem, setProblem] = useState('');
  const onShow = () => {
    const query = new URLSearchParams({ name: welcome.rules, profile: welcome.profile ?? '' });
    setProblem('');
    Promise.all([
      request(`/api/how-to?${query}`),
      loadModule('learn/how_to'),
      loadModule('learn/words'),
      loadStyle('learn/learn'),
    ]).then(
      ([loaded, module]) => {
        setHowTo(() => module.HowTo);
        setFacts(loaded);
      },
      (error) => setProblem(error.message),
    );
  };
  const address = `#/learn/${encodeURIComponent(welcome.rules)}`;
  return html`
    <${Dialog} name="rules" heading=${t('howToPlay')} onShow=${onShow}>
      ${
        problem &&
        html`
          <p class="problem" role="alert">${problem}</p>
        `
      }
      ${
        HowTo && facts?.game === welcome.rules
          ? html`
            <div class="learn">
              <p><a href=${address}>${t('learnMore')}</a></p>
              <${HowTo} key=${facts.profile} facts=${facts} />
            </div>
          `
          : !problem && html`<p class="wait" role="status">${t('connecting')}</p>`
      }
    </${Dialog}>
  `;
}
