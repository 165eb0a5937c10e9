// Component ReviewStage: the table of a review with its step buttons, the act in words, and the method.
import { html } from '../html.js';
import { t } from '../words.js';
import { resultOf } from './lines.js';
import { MethodLine } from './method_line.js';
import { ReviewTable } from './review_table.js';
import { StepBar } from './step_bar.js';
import { lossTexts } from './summaries.js';

// What is to be decided, or how a play of one's own was graded.
function turnText(learn, name) {
  if (!learn.isOn) return t('yourTry', name);
  const { isGrading, grade } = learn.panel;
  if (isGrading) return t('grading');
  return grade ? t('gradeBad', ...lossTexts(grade)) : t('yourAnswer', name);
}

function controlItems({ learn, tryOut, leave }) {
  const leaveItem = { name: 'leave', text: t('leave'), key: 'Esc', isEnabled: true, act: leave };
  if (learn.isOn)
    return [{ name: 'solution', text: t('solution'), isEnabled: true, act: () => learn.panel.solve() }, leaveItem];
  return [
    { name: 'agent', text: t('letAgent'), isEnabled: !tryOut.isBusy, act: tryOut.letAgent },
    { name: 'end', text: t('toEnd'), isEnabled: !tryOut.isBusy, act: tryOut.toEnd },
    leaveItem,
  ];
}

const SWITCHES = [
  ['hiddenHands', 'O', 'hands'],
  ['estimates', 'E', 'estimates'],
  ['hints', 'L', 'coach'],
];

export function ReviewStage(props) {
  const { review, line, index, frame, last, goTo, playback, work, learn, tryOut, isTrying } = props;
  const { shows, toggle, mySeat, setMySeat, playerName, actText, estimate } = props;
  const result = index === last ? resultOf(review, line) : null;
  return html`
    <div class="stage">
      <${ReviewTable}
        ...${{ review, line, index, estimate, playerName, isTrying }}
        frame=${isTrying ? { ...frame, act: null } : frame}
        bottom=${mySeat}
        isOpen=${shows.hands && !learn.isOn}
        turnText=${turnText(learn, playerName(frame.seat))}
        onDecide=${learn.isOn ? learn.play : tryOut.decide}
        items=${controlItems(props)}
      />
      <${StepBar}
        ...${{ index, last, goTo }}
        ...${playback}
        switches=${SWITCHES.map(([word, key, name]) => ({ word, key, isOn: shows[name], toggle: () => toggle(name) }))}
        seats=${frame.hands.map((_, seat) => playerName(seat))}
        bottom=${mySeat}
        setBottom=${setMySeat}
      />
      <p class="step">
        <b>${t('act', index + 1, last + 1)}</b>
        ${line != null && ` · ${t('variation', line + 1)}`} · ${isTrying ? t('toDecide') : actText(frame.act)}
        ${result && html` · <b>${t('ends')}${t('colon')}${result.points.join(' ')}</b>`}
        ${tryOut.problem && html`<span class="problem" role="alert">${tryOut.problem}</span>`}
      </p>
      <${MethodLine} review=${review} work=${work} />
    </div>
  `;
}
