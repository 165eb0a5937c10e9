// Component Opener: what can be looked over: samples, recent games, a file or text.
import { html } from '../html.js';
import { t } from '../words.js';
import { RecentList } from './recent_list.js';
import { RecordForm } from './record_form.js';
import { SampleList } from './sample_list.js';

export function Opener({ open }) {
  return html`
    <div class="opening">
      <h1>${t('openRecord')}</h1>
      <p class="small">${t('openHow')}</p>
      <${RecentList} open=${open} />
      <${SampleList} open=${open} />
      <${RecordForm} open=${open} />
    </div>
  `;
}
