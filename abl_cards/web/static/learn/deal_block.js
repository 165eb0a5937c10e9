// Component DealBlock: a deal that can be played, with the hand that one gets.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { StartDeal } from './start_deal.js';

export function DealBlock({ block, context }) {
  return html`
    <figure class="block">
      ${block.caption && html`<figcaption>${block.caption}</figcaption>`}
      <${CardRow} deck=${context.deck} cards=${block.hand} />
      <${StartDeal} options=${{ game: context.game, ...block.options }} label=${t('learnPlayDeal')} />
    </figure>
  `;
}
