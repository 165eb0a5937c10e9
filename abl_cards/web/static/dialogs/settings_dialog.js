// Component SettingsDialog: settings of this browser.
import { html } from '../html.js';
import { THINK_CHOICES, updateSettings, useSettings } from '../settings.js';
import { agentTitle } from '../text/agent_name.js';
import { t } from '../words.js';
import { Dialog } from './dialog.js';

export function SettingsDialog() {
  const current = useSettings();
  const checkbox = (field, label, on, off) => html`
    <label>
      <input
        type="checkbox"
        checked=${current[field] === on}
        onChange=${(event) => updateSettings({ [field]: event.target.checked ? on : off })}
      />${' '}
      ${label}
    </label>
  `;
  return html`
    <${Dialog} name="settings" heading=${t('settings')}>
      <form onSubmit=${(event) => event.preventDefault()}>
        <label>
          ${t('name')}${' '}
          <input
            maxlength="24"
            value=${current.name}
            onChange=${(event) => updateSettings({ name: event.target.value })}
          />
        </label>
        <label>
          ${t('theme')}${' '}
          <select value=${current.theme} onChange=${(event) => updateSettings({ theme: event.target.value })}>
            ${['system', 'light', 'dark'].map(
              (item) => html`
                <option key=${item} value=${item}>
                  ${t(item)}
                </option>
              `,
            )}
          </select>
        </label>
        ${checkbox('colours', t('four'), 4, 2)}
        <label>
          ${t('pace')}${' '}
          <input
            type="range"
            min="0"
            max="3000"
            step="100"
            value=${current.pace}
            onChange=${(event) => updateSettings({ pace: Number(event.target.value) })}
          />${' '}
          ${t('seconds', (current.pace / 1000).toFixed(1))}
        </label>
        <label>
          ${t('think')}${' '}
          <select
            id="settings-think"
            value=${String(current.think)}
            onChange=${(event) => updateSettings({ think: Number(event.target.value) })}
          >
            ${THINK_CHOICES.map(
              (ms) => html`
                <option key=${ms} value=${String(ms)}>${ms ? t('milliseconds', ms) : t('thinkOff')}</option>
              `,
            )}
          </select>
        </label>
        <p class="small about">${t('aboutThink')}</p>
        <label>
          ${t('advisor')}${' '}
          <select value=${current.advisor} onChange=${(event) => updateSettings({ advisor: event.target.value })}>
            <option value="">${t('automatic')}</option>
            ${[...new Set(['abl', 'kb', current.advisor])]
              .filter(Boolean)
              .map((agent) => html`<option key=${agent} value=${agent}>${agentTitle(agent)}</option>`)}
          </select>
        </label>
        <label>
          ${t('coach')}${' '}
          <select value=${current.coach} onChange=${(event) => updateSettings({ coach: event.target.value })}>
            ${['off', 'after', 'before'].map(
              (mode) => html`
                <option key=${mode} value=${mode}>${t(`coach_${mode}`)}</option>
              `,
            )}
          </select>
        </label>
        ${checkbox('sound', t('sound'), true, false)}
        ${checkbox('announce', t('announce'), true, false)}
      </form>
    </${Dialog}>
  `;
}
