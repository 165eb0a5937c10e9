// Component RecordButtons: download the records of the table, or review them.
import { html, useState } from '../html.js';
import { t } from '../words.js';

export function RecordButtons({ link, welcome }) {
  const [problem, setProblem] = useState('');
  const fetchRecords = async () => {
    const told = await link.ask({ do: 'record' });
    setProblem(told.type === 'record' && told.records.length ? '' : told.text || t('noRecord'));
    return told.records ?? [];
  };
  const download = async () => {
    const records = await fetchRecords();
    if (!records.length) return;
    const made = URL.createObjectURL(
      new Blob(
        records.map((each) => `${JSON.stringify(each)}\n`),
        { type: 'application/json' },
      ),
    );
    const anchor = Object.assign(document.createElement('a'), {
      href: made,
      download: `${welcome.game.replace(/[^\w-]/g, '_')}.jsonl`,
    });
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(made), 5000);
  };
  const review = async () => {
    const records = await fetchRecords();
    if (!records.length) return;
    sessionStorage.setItem(
      'review',
      JSON.stringify({
        game: welcome.game,
        profile: welcome.profile,
        text: records.map((each) => JSON.stringify(each)).join('\n'),
      }),
    );
    location.hash = '#/review';
  };
  return html`
    <button type="button" onClick=${review}>
      ${t('reviewThis')}
    </button>${' '}
    <button type="button" onClick=${download}>
      ${t('download')}
    </button>
    ${
      problem &&
      html`
        ${' '}
        <span role="status">${problem}</span>
      `
    }
  `;
}
