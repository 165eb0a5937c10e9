// Component SettingsDialog: settings of this browser.
import { html } from '../html.js';
import { set, useSettings } from '../settings.js';
import { t } from '../words.js';
import { Dialog } from './dialog.js';

export function SettingsDialog() {
  const now = useSettings();
  const box = (field, label, on, off) => html`
    <label>
      <input
        type="checkbox"
        checked=${now[field] === on}
        onChange=${(event) => set({ [field]: event.target.checked ? on : off })}
      />${' '}
      ${label}
    </label>
  `;
  return html`
    <${Dialog} name="settings" heading=${t('settings')}>
      <form onSubmit=${(event) => event.preventDefault()}>
        <label>
          ${t('name')}${' '}
          <input maxlength="24" value=${now.name} onChange=${(event) => set({ name: event.target.value })} />
        </label>
        <label>
          ${t('theme')}${' '}
          <select value=${now.theme} onChange=${(event) => set({ theme: event.target.value })}>
            ${['system', 'light', 'dark'].map(
              (each) => html`
                <option key=${each} value=${each}>
                  ${t(each)}
                </option>
              `,
            )}
          </select>
        </label>
        ${box('colours', t('four'), 4, 2)}
        <label>
          ${t('order')}${' '}
          <select value=${now.order} onChange=${(event) => set({ order: event.target.value })}>
            <option value="rank">${t('byRank')}</option>
            <option value="suit">${t('bySuit')}</option>
          </select>
        </label>
        <label>
          ${t('pace')}${' '}
          <input
            type="range"
            min="0"
            max="3000"
            step="100"
            value=${now.pace}
            onChange=${(event) => set({ pace: Number(event.target.value) })}
          />${' '}
          ${t('seconds', (now.pace / 1000).toFixed(1))}
        </label>
        <label>
          ${t('advisor')}${' '}
          <input
            size="14"
            placeholder="abl, kb"
            value=${now.advisor}
            onChange=${(event) => set({ advisor: event.target.value.trim() })}
          />
        </label>
        ${box('announce', t('announce'), true, false)}
      </form>
    </${Dialog}>
  `;
}
