// Component HintAdvice: the best moves of an agent with their reasons, and what it expects of the other hands.
import { html } from '../html.js';
import { otherNames } from '../table/seats.js';
import { agentName } from '../text/agent_name.js';
import { t } from '../words.js';
import { HeatMap } from './heat_map.js';
import { ImaginedDeals } from './imagined_deals.js';
import { LabelTable } from './label_table.js';
import { Verdict } from './verdict.js';

export function HintAdvice({ answer, coach, welcome, view, names, take }) {
  const deck = welcome.deck;
  return html`
    <${Verdict} heading=${t('best')} verdict=${answer.best} names=${names} take=${take} moves=${answer.moves} />
    ${
      view.asked?.kind === 'play' &&
      !coach.judged &&
      html`
        <p><button type="button" aria-busy=${coach.isBusy} onClick=${coach.compare}>${t('compare')}</button></p>
      `
    }
    ${answer.next.map(
      (verdict) => html`
        <${Verdict}
          key=${verdict.text}
          heading=${t('nextBest')}
          verdict=${verdict}
          names=${names}
          take=${take}
          moves=${answer.moves}
        />
      `,
    )}
    <p class="small">${t('asks', agentName(answer.agent))}</p>
    ${
      answer.labels.length > 0 &&
      html`
        <details>
          <summary>${t('agentNumbers')}</summary>
          <${LabelTable} labels=${answer.labels} names=${names} />
        </details>
      `
    }
    ${
      answer.estimate &&
      html`
        <details>
          <summary>${t('estimated')}</summary>
          <${HeatMap} estimate=${answer.estimate} deck=${deck} names=${otherNames(view)} />
        </details>
      `
    }
    ${answer.imagined && html`<${ImaginedDeals} deals=${answer.imagined} deck=${deck} names=${otherNames(view)} />`}
  `;
}
