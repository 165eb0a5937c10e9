// Component LessonText: the text of a lesson as elements, with its blocks; or its errors.
import { CardChip } from '../cards/card_chip.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { DealBlock } from './deal_block.js';
import { PositionBlock } from './position_block.js';
import { Quiz } from './quiz.js';
import { RuleBlock } from './rule_block.js';

const BLOCKS = { position: PositionBlock, deal: DealBlock, rule: RuleBlock, quiz: Quiz };

function Heading({ level, children }) {
  if (level === 1) return html`<h1>${children}</h1>`;
  return level === 2 ? html`<h2>${children}</h2>` : html`<h3>${children}</h3>`;
}

function Node({ node, context }) {
  const inside = () => html`<${Nodes} nodes=${node.children} context=${context} />`;
  switch (node.kind) {
    case 'heading':
      return html`<${Heading} level=${node.level}>${inside()}</${Heading}>`;
    case 'paragraph':
      return html`<p>${inside()}</p>`;
    case 'list':
      return html`<ul>${inside()}</ul>`;
    case 'steps':
      return html`<ol>${inside()}</ol>`;
    case 'item':
      return html`<li>${inside()}</li>`;
    case 'quote':
      return html`<blockquote>${inside()}</blockquote>`;
    case 'strong':
      return html`<strong>${inside()}</strong>`;
    case 'em':
      return html`<em>${inside()}</em>`;
    case 'cards':
      return node.cards.map((card, index) => html`<${CardChip} key=${index} deck=${context.deck} text=${card} />`);
    case 'code':
      return html`<code>${node.text}</code>`;
    case 'listing':
      return html`<pre><code>${node.text}</code></pre>`;
    case 'line':
      return html`<hr />`;
    case 'break':
      return html`<br />`;
    case 'space':
      return ' ';
    case 'block': {
      const block = context.blocks[node.index];
      return html`<${BLOCKS[block.kind]} block=${block} index=${node.index} context=${context} />`;
    }
    default:
      return node.text ?? '';
  }
}

function Nodes({ nodes, context }) {
  return nodes.map((node, index) => html`<${Node} key=${index} node=${node} context=${context} />`);
}

export function LessonText({ game, lesson, grade }) {
  if (lesson.errors)
    return html`
      <h1>${t('learnBroken')}</h1>
      <ul class="errors">
        ${lesson.errors.map(
          (error, index) => html`
            <li key=${index}>
              <b>${t('learnLine', error.file, error.line)}</b>
              <code lang="en">${error.text}</code>
              <code lang="en" class="small">${error.remedy}</code>
            </li>
          `,
        )}
      </ul>
    `;
  return html`<${Nodes} nodes=${lesson.nodes} context=${{ ...lesson, game, grade }} />`;
}
