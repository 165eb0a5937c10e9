// The notebook as Markdown: a finished appendix with the changed lines and the result of each cell.
import { cardSign } from '../cards/card_text.js';
import { fixedPercent } from '../format.js';
import { localise, settings } from '../settings.js';
import { partName, splitMarks } from '../text/marked_text.js';
import { t } from '../words.js';
import { balanceRows } from './balance_rows.js';
import { aboutText, optionText } from './export_text.js';
import { isStale } from './notebook.js';
import { stateText } from './state_text.js';
import { factorText } from './try_table.js';

const NAMES = { seat: (seat) => t('seat', seat), team: String };
const cellText = (value) =>
  String(value ?? '')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');
const table = (heads, rows) =>
  [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.map(cellText).join(' | ')} |`).join('\n');
const list = (items) => items.map((item) => `- ${item}`).join('\n');
const code = (text) => `\`${String(text).replaceAll('`', "'")}\``;

const inText = (text, deck) =>
  splitMarks(text)
    .map((part) => (part.card == null ? partName(part, NAMES) : `${cardSign(deck, part.card)} `))
    .join('')
    .trim();

function positionText(view, deck) {
  const signs = (cards) => cards.map((card) => cardSign(deck, card)).join(' ');
  const lines = [view.drawn ? signs(view.drawn.hand) : code(stateText(view.state))];
  for (const { seat, cards } of view.drawn?.plays ?? []) lines.push(`${t('seat', seat)}${t('colon')}${signs(cards)}`);
  if (typeof view.before !== 'number' || typeof view.after !== 'number')
    return [...lines, t('stateRefused')].join('\n\n');
  lines.push(t('labMoves', view.before, view.after));
  for (const [word, moves] of [
    ['labGone', view.gone],
    ['labAdded', view.new],
  ])
    if (moves.length)
      lines.push(`**${t(word)}**${t('colon')}${moves.map((move) => inText(move.text, deck)).join('; ')}`);
  return lines.join('\n\n');
}

function balanceText({ balance }) {
  const { shares, counts } = balanceRows(balance);
  const value = ({ value, low, high }, unit) =>
    value == null ? '–' : `${value.toFixed(2)}${unit}${low == null ? '' : ` (${low.toFixed(2)} – ${high.toFixed(2)})`}`;
  const rows = (list_, unit) => list_.map((row) => [row.name, ...row.values.map((item) => value(item, unit))]);
  return table(['', t('labBefore'), t('labNow')], [...rows(shares, ' %'), ...rows(counts, '')]);
}

const intervalRow = (name, row) => [
  name,
  fixedPercent(row.rate),
  `${fixedPercent(row.low)} – ${fixedPercent(row.high)}`,
];

const TEXTS = {
  note: (cell) => cell.options.text,
  position: (cell, deck) => positionText(cell.result, deck),
  smallest: ({ result }, deck) => (result.state ? positionText(result.view, deck) : t('labNoDifference')),
  cases: ({ result }) =>
    [
      result.wrong ? t('casesWrong', result.wrong) : result.cases ? t('casesHold', result.cases) : t('casesNone'),
      list((result.first ?? []).map((entry) => `${code(`cases.jsonl:${entry.line}`)} ${entry.said} ${entry.why}`)),
    ].join('\n\n'),
  mutations: ({ result }) =>
    [
      t(
        'mutationsFound',
        result.noticed,
        result.edits - result.same,
        result.edits,
        result.of,
        result.same,
        result.cases,
      ),
      list(result.left.map((mutation) => `${code(mutation.edit)} ${mutation.said}`)),
    ].join('\n\n'),
  coverage: ({ result }) =>
    [
      t('labCovered', result.silent.length, result.rules, result.games),
      list(result.silent.map((rule) => `${code(`${rule.file}:${rule.line}`)} ${code(rule.rule)}`)),
    ].join('\n\n'),
  balance: ({ result }) => balanceText(result),
  weights: ({ result }) =>
    table(
      [t('weightsIn'), t('tryRate'), t('interval'), t('option_games'), t('option_seed')],
      result.tries.map((row) => [...intervalRow(factorText(row.factors), row), row.games, row.seed]),
    ),
  ablation: ({ result }) =>
    table(
      [t('weightsIn'), t('ablationRate'), t('interval')],
      result.rows.map((row) => intervalRow(row.name, row)),
    ),
  words: ({ result }) =>
    (result[settings().language] ?? result.en)
      .map((section) => `**${section.heading}**\n\n${list(section.lines)}`)
      .join('\n\n'),
  replay: ({ result }) => t('labReplayed', result.episodes, result.plays, result.different),
  play: ({ result }) => t('playTables', result.tables.length),
};

const diffText = (files) =>
  files
    .map(
      ({ name, hunks }) =>
        `\`\`\`diff\n--- ${name}\n+++ ${name}\n${hunks
          .flatMap((hunk) => hunk.map(([kind, , , text]) => `${kind}${text}`))
          .join('\n')}\n\`\`\``,
    )
    .join('\n\n') || t('diffNone');

export function exportMarkdown(state, about, stamp) {
  const cells = state.cells.filter((cell) => cell.result || cell.kind === 'note');
  const parts = [`# ${localise(about.title)}`, aboutText(about), `## ${t('appendixChanges')}`, diffText(about.diff)];
  for (const [index, cell] of cells.entries()) {
    if (cell.kind !== 'note') {
      parts.push(`## ${index + 1} ${t(`cell_${cell.kind}`)}`);
      const options = [optionText(cell), isStale(cell, stamp) ? t('cellStale') : ''].filter(Boolean).join(' ');
      if (options) parts.push(options);
    }
    parts.push(TEXTS[cell.kind](cell, state.deck));
  }
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}
