// Component RecordButtons: download the records of the table, or review them.
import { html, loadModule, useEffect, useState } from '../html.js';
import { fileName, saveFile } from '../save_file.js';
import { t } from '../words.js';

export function RecordButtons({ link, welcome }) {
  const [problem, setProblem] = useState('');
  const fetchRecords = async () => {
    const response = await link.request({ do: 'record' });
    setProblem(response.type === 'record' && response.records.length ? '' : response.text || t('noRecord'));
    return response.records ?? [];
  };
  useEffect(() => {
    loadModule('review/recent_games').then(({ rememberFinished }) => rememberFinished(link, welcome));
  }, []);
  const download = async () => {
    const records = await fetchRecords();
    if (!records.length) return;
    saveFile(
      `${fileName(welcome.game)}.jsonl`,
      records.map((record) => `${JSON.stringify(record)}\n`).join(''),
      'application/json',
    );
  };
  const review = async () => {
    const records = await fetchRecords();
    if (!records.length) return;
    sessionStorage.setItem(
      'review',
      JSON.stringify({
        game: welcome.rules,
        profile: welcome.profile,
        text: records.map((record) => JSON.stringify(record)).join('\n'),
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
