// Component RulesDialog: the rules of the table's game in words, as `kb describe` gives them.
import { html, useState } from '../html.js';
import { request } from '../link.js';
import { useSettings } from '../settings.js';
import { t } from '../words.js';
import { Dialog } from './dialog.js';

export function RulesDialog({ welcome }) {
  const { language } = useSettings();
  const [sections, setSections] = useState([]);
  const [problem, setProblem] = useState('');
  const onShow = () => {
    const query = new URLSearchParams({ name: welcome.game, profile: welcome.profile ?? '', lang: language });
    request(`/api/rules?${query}`).then(
      (response) => {
        setProblem('');
        setSections(response.sections);
      },
      (error) => setProblem(error.message),
    );
  };
  return html`
    <${Dialog} name="rules" heading=${t('howToPlay')} onShow=${onShow}>
      ${
        problem &&
        html`
          <p class="problem" role="alert">${problem}</p>
        `
      }
      ${sections.map(
        ({ heading, lines }) => html`
          <section key=${heading}>
            <h3>${heading}</h3>
            <ul>
              ${lines.map((line) => html`<li key=${line}>${line}</li>`)}
            </ul>
          </section>
        `,
      )}
    </${Dialog}>
  `;
}
