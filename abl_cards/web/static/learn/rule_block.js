// Component RuleBlock: a rule of the folder: the sentence of a preference, or the lines of a predicate.
import { html } from '../html.js';
import { localise } from '../settings.js';

export function RuleBlock({ block }) {
  return html`
    <figure class="block">
      ${block.caption && html`<figcaption>${block.caption}</figcaption>`}
      ${block.text && html`<blockquote>${localise(block.text)}</blockquote>`}
      ${block.rules.map(
        (rule) => html`
          <div key=${`${rule.file}${rule.line}`}>
            <p class="small"><code>${rule.file}:${rule.line}</code></p>
            <pre><code>${rule.code}</code></pre>
          </div>
        `,
      )}
    </figure>
  `;
}
