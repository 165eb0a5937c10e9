// Component ReviewSheet: a record on the table, with its acts, timeline, coach and figures.
import { announce } from '../announce.js';
import { html, useEffect, useMemo, useRef, useState } from '../html.js';
import { localise, useSettings } from '../settings.js';
import { eventText } from '../table/event_text.js';
import { makeNames, positionOfFrame } from '../table/position.js';
import { agentName } from '../text/agent_name.js';
import { plainText } from '../text/marked_text.js';
import { t } from '../words.js';
import { CalibrationCurve } from './calibration_curve.js';
import { Coach } from './coach.js';
import { DecisionTable } from './decision_table.js';
import { decisionRows } from './decisions_csv.js';
import { describeAct } from './describe_act.js';
import { ExportMenu } from './export_menu.js';
import { nextWithGlyph } from './glyphs.js';
import { LearnPanel } from './learn_panel.js';
import { framesOf, groupTricks, relativePoints, seatsOfSide, trickNumbers } from './lines.js';
import { MethodForm } from './method_form.js';
import { MoveList } from './move_list.js';
import { ReviewHead } from './review_head.js';
import { ReviewStage } from './review_stage.js';
import { SeatTable } from './seat_table.js';
import { Timeline } from './timeline.js';
import { sideSeries } from './timeline_scale.js';
import { useCoach } from './use_coach.js';
import { useLearn } from './use_learn.js';
import { usePlayback } from './use_playback.js';
import { useReviewKeys } from './use_review_keys.js';
import { useTry } from './use_try.js';
import { useWork } from './use_work.js';

export function ReviewSheet({ review, line, index, setBranches }) {
  useSettings();
  const work = useWork(review);
  const [shows, setShows] = useState({ hands: true, estimates: false, coach: true });
  const [mySeat, setMySeat] = useState(0);
  const [seatFilter, setSeatFilter] = useState(null);
  const drawing = useRef(null);
  const frames = useMemo(() => framesOf(review, line), [review, line]);
  const last = frames.length - 1;
  const frame = frames[Math.min(index, last)];
  const jump = (target, toLine = line) => {
    const end = toLine === line ? last : framesOf(review, toLine).length - 1;
    const place = Math.min(end, Math.max(0, target));
    location.replace(`#/review/${review.review}/${place}${toLine == null ? '' : `/${toLine}`}`);
  };
  const playerName = (seat) => (review.players[seat] ? `${seat} ${agentName(review.players[seat])}` : t('seat', seat));
  const names = makeNames(review.deck, playerName, frame.side, mySeat);
  const actText = (act) => (act ? eventText(names, act) : t('toDecide'));
  const learn = useLearn({ work, goTo: jump });
  const goTo = (target, toLine = line) => {
    learn.stop();
    jump(target, toLine);
  };
  const tryOut = useTry({
    review,
    line,
    index,
    agent: work.choice.onward,
    seed: work.choice.seed,
    onBranches: (branches, played) => {
      setBranches(branches);
      if (played == null) return goTo(Math.min(index, review.pictures.length - 1), null);
      const { start, pictures } = branches[played];
      location.replace(`#/review/${review.review}/${start + pictures.length - 1}/${played}`);
    },
  });
  const isTrying = (tryOut.isOn && !learn.isOn) || (learn.isOn && !learn.isAnswered);
  const hasCoach = shows.coach && !learn.isOn;
  const playback = usePlayback({ index, last, glyphs: work.glyphs, goTo });
  const advice = useCoach({
    review,
    line,
    index,
    agent: work.choice.agent,
    isOn: hasCoach,
    isRunning: playback.isRunning,
  });
  const marks = useMemo(
    () => new Map([...work.glyphs].filter(([place]) => seatFilter == null || frames[place]?.seat === seatFilter)),
    [work.glyphs, seatFilter, frames],
  );
  const toggle = (name) => setShows({ ...shows, [name]: !shows[name] });
  const goToGlyph = (glyph) => {
    const place = nextWithGlyph(marks, glyph, index);
    if (place != null) goTo(place, null);
  };
  const startLearning = () => (learn.isOn ? learn.stop() : learn.start([...marks.keys()], index));
  const flip = () => setMySeat((mySeat + 1) % frame.hands.length);
  const leave = () => {
    if (!learn.isOn && !tryOut.isOn) return false;
    learn.stop();
    tryOut.stop();
    return true;
  };
  useReviewKeys({
    index,
    last,
    isTrying,
    goTo,
    goToGlyph,
    playback,
    startLearning,
    leave,
    learn,
    tryOut,
    toggle,
    flip,
  });
  useEffect(() => {
    announce(`${t('act', index + 1, frames.length)}. ${actText(frame.act)}`);
  }, [index, line]);

  const evaluation = line == null ? work.decisionAt.get(index) : undefined;
  const tricks = useMemo(() => trickNumbers(review.pictures), [review]);
  const mySeats = seatsOfSide(review, mySeat);
  const end = review.ended && {
    place: review.pictures.length - 1,
    value: relativePoints(review.ended.points)[mySeat],
  };
  const series = work.decisions.length ? sideSeries(work.decisions, mySeats, end) : [];
  const describe = (place) => describeAct({ review, place, tricks, work, series, actText });
  const curveLabel = t(mySeats.length > 1 ? 'curveSide' : 'curveSeat', mySeats.map(playerName).join(t('and')));
  const shortLabel = t('curveShort', mySeats.map(playerName).join(t('and')));
  const rows = () =>
    decisionRows({
      decisions: work.decisions,
      tricks,
      errors: work.result.errors,
      glyphs: work.glyphs,
      playerName,
      moveText: (text) => (text ? plainText(localise(text), names) : ''),
    });
  return html`
    <div
      class=${`review ${learn.isOn ? 'learning' : ''}`}
      data-at=${index}
      data-line=${line}
      data-state=${work.state}
    >
      <${ReviewHead}
        review=${review}
        playerName=${playerName}
        result=${review.ended}
        buttons=${[
          {
            word: 'learnMistakes',
            key: 'R',
            isOn: learn.isOn,
            isEnabled: marks.size > 0 || learn.isOn,
            act: startLearning,
          },
          { word: 'tryOut', key: 'X', isOn: tryOut.isOn, isEnabled: !learn.isOn, act: tryOut.toggle },
        ]}
      >
        <label class="filter">
          ${t('filter')}${' '}
          <select
            id="review-filter"
            value=${seatFilter ?? ''}
            onChange=${(event) => setSeatFilter(event.target.value === '' ? null : Number(event.target.value))}
          >
            <option value="">${t('allSeats')}</option>
            ${frame.hands.map((_, seat) => html`<option key=${seat} value=${seat}>${playerName(seat)}</option>`)}
          </select>
        </label>
        <${ExportMenu}
          ...${{ review, work, rows, drawing }}
          caption=${methodCaption(work.method)}
          isOpen=${shows.hands}
          makePosition=${() => positionOfFrame(review, frame, mySeat, shows.hands, playerName)}
        />
      </${ReviewHead}>
      <${ReviewStage}
        ...${{ review, line, index, frame, last, goTo, playback, work, learn, tryOut, isTrying, leave }}
        ...${{ shows, toggle, mySeat, setMySeat, playerName, actText }}
        estimate=${shows.estimates && hasCoach ? advice?.estimate : null}
      />
      <${MoveList}
        review=${review}
        line=${line}
        index=${index}
        glyphs=${marks}
        names=${names}
        seatFilter=${seatFilter}
        goTo=${goTo}
        removeBranch=${tryOut.remove}
      />
      <div class="curve-space">
        <${Timeline}
          length=${review.pictures.length}
          tricks=${groupTricks(review.pictures)}
          series=${series}
          marks=${marks}
          mySeats=${mySeats}
          seatAt=${(place) => review.pictures[place].seat}
          current=${line == null ? index : review.branches[line].start}
          onSelect=${(place) => goTo(place, null)}
          label=${curveLabel}
          shortLabel=${shortLabel}
          describe=${describe}
          svgRef=${drawing}
        />
        ${
          !series.length &&
          html`
            <p class="no-curve small">
              ${
                work.state === 'working'
                  ? t('finding', work.done, work.total || '…')
                  : html`
                    <button type="button" class="strong" onClick=${work.start}>${t('findMistakes')}</button>
                    <br />
                    ${t('noCurve')}
                  `
              }
            </p>
          `
        }
      </div>
      <div class="coach-space">
        <${MethodForm} work=${work} />
        ${
          learn.isOn
            ? html`
              <${LearnPanel}
                learn=${learn.panel}
                frame=${review.pictures[learn.place]}
                decision=${work.decisionAt.get(learn.place)}
                glyph=${work.glyphs.get(learn.place)}
                names=${names}
                method=${work.method}
                playerName=${playerName}
              />
            `
            : html`
              <${Coach}
                review=${review}
                frame=${frame}
                names=${names}
                advice=${advice}
                evaluation=${evaluation}
                glyph=${work.glyphs.get(index)}
                hasTruth=${shows.hands}
                playerName=${playerName}
                method=${work.method}
                isOn=${hasCoach}
              />
            `
        }
      </div>
      ${
        work.decisions.length > 0 &&
        html`
          <div class="below">
            <${DecisionTable} ...${{ work, names, tricks, playerName, seatFilter, index, goTo }} />
            <div class="figures">
              <${SeatTable} work=${work} playerName=${playerName} />
              ${
                work.result.calibration.length > 0 &&
                html`
                  <section class="panel"><${CalibrationCurve} bins=${work.result.calibration} /></section>
                `
              }
            </div>
          </div>
        `
      }
    </div>
  `;
}

const methodCaption = (method) =>
  method ? t('caption', agentName(method.agent), agentName(method.rollout_agent), method.deals, method.seed) : '';
