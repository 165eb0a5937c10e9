// Component Evaluation: what a decision gave away, in words, and the moves that were tried.
import { ReasonList } from '../advice/reason_list.js';
import { html } from '../html.js';
import { localise, settings } from '../settings.js';
import { agentName } from '../text/agent_name.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { GLYPHS } from './glyphs.js';
import { MoveBars } from './move_bars.js';
import { lossTexts } from './summaries.js';

export function Evaluation({ evaluation, glyph, names, method, actual }) {
  const { loss, better, tried, why, agreed, mistake } = evaluation;
  return html`
    <p class="gave-away">
      ${glyph && html`<b class=${`mark-of grade${GLYPHS.indexOf(glyph)}`}>${glyph}</b>`}${' '}
      <b>${t('gaveAway', ...lossTexts(evaluation))}</b>
    </p>
    ${loss > 0 && !mistake && html`<p class="small">${t('noSure')}</p>`}
    ${loss > 0 && html`<p><${Words} text=${t('instead', localise(better))} names=${names} /></p>`}
    ${
      glyph &&
      agreed &&
      html`
        <p class="contradiction">${t('disagrees', agentName(method.rollout_agent), agentName(method.agent))}</p>
      `
    }
    <${MoveBars}
      moves=${tried}
      names=${names}
      actual=${actual}
      unit=${t('expected', agentName(method.rollout_agent))}
    />
    ${
      why.length > 0 &&
      method.language === settings().language &&
      html`
        <h4>${t('madeAgainstBest')}</h4>
        <${ReasonList} reasons=${why} />
      `
    }
  `;
}
