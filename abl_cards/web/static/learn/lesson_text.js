// Component LessonText: the text of a lesson as elements, with its blocks; or its errors.
import { CardChip } from '../cards/card_chip.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { DealBlock } from './deal_block.js';
import { PositionBlock } from './position_block.js';
import { Quiz } from './quiz.js';
import { RuleBlock } from './rule_block.js';

const BLOCKS = { position: PositionBlock, deal: DealBlock, rule: RuleBlock, quiz: Quiz };

const headingOf = (level, children) =>
  level === 1 ? html`<h1>${children}</h1>` : level === 2 ? html`<h2>${children}</h2>` : html`<h3>${children}</h3>`;

// Elements of containers, by kind of node.
const CONTAINERS = {
  paragraph: (inside) => html`<p>${inside}</p>`,
  list: (inside) => html`<ul>${inside}</ul>`,
  steps: (inside) => html`<ol>${inside}</ol>`,
  item: (inside) => html`<li>${inside}</li>`,
  quote: (inside) => html`<blockquote>${inside}</blockquote>`,
  strong: (inside) => html`<strong>${inside}</strong>`,
  em: (inside) => html`<em>${inside}</em>`,
};

// Elements of nodes without children, by kind of node.
const LEAVES = {
  cards: (node, context) =>
    node.cards.map((card, index) => html`<${CardChip} key=${index} deck=${context.deck} text=${card} />`),
  code: (node) => html`<code>${node.text}</code>`,
  listing: (node) => html`<pre><code>${node.text}</code></pre>`,
  line: () => html`<hr />`,
  break: () => html`<br />`,
  space: () => ' ',
  text: (node) => node.text,
  block: (node, context) => {
    const block = context.blocks[node.index];
    return html`<${BLOCKS[block.kind]} block=${block} index=${node.index} context=${context} />`;
  },
};

function nodeElement(node, context) {
  if (!node.children) return LEAVES[node.kind](node, context);
  const inside = node.children.map((child) => nodeElement(child, context));
  return node.kind === 'heading' ? headingOf(node.level, inside) : CONTAINERS[node.kind](inside);
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
  const context = { ...lesson, game, grade };
  return lesson.nodes.map((node) => nodeElement(node, context));
}
