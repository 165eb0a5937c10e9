// Component WordsResult: the rules in words.
import { html } from '../html.js';

export function WordsResult({ result, language }) {
  return (result[language] ?? result.en).map(
    (section) => html`
      <section key=${section.heading} class="in-words">
        <h4>${section.heading}</h4>
        <ul>
          ${section.lines.map((line, index) => html`<li key=${index}>${line}</li>`)}
        </ul>
      </section>
    `,
  );
}
