// Component KeysDialog: table of keyboard shortcuts.
import { html } from '../html.js';
import { useSettings } from '../settings.js';
import { t } from '../words.js';
import { Dialog } from './dialog.js';

const KEYS = [
  ['← →', 'k_move'],
  ['Space', 'k_pick'],
  ['2 … 9 0 T J Q K A', 'k_rank'],
  ['Enter', 'k_lay'],
  ['1 … 9', 'k_option'],
  ['P', 'k_pass'],
  ['H', 'k_hint'],
  ['B', 'k_best'],
  ['W', 'k_why'],
  ['R', 'k_read'],
  ['M', 'k_hand'],
  ['Esc ⌫', 'k_clear'],
  ['Z', 'k_back'],
  ['S', 'k_order'],
  ['L', 'k_last'],
  ['I', 'k_status'],
  ['G', 'k_go'],
  ['N', 'k_new'],
  ['Y', 'k_lang'],
  [',', 'k_set'],
  ['?', 'k_help'],
];

// Keys of other sections, which add them when they are loaded.
const lists = { play: KEYS };
export const addKeys = (section, keys) => {
  lists[section] = [...keys, ...KEYS.filter(([, word]) => ['k_lang', 'k_set', 'k_help'].includes(word))];
};

const currentKeys = () => lists[/^#\/(\w+)/.exec(location.hash)?.[1]] ?? KEYS;

export function KeysDialog() {
  useSettings();
  return html`
    <${Dialog} name="help" heading=${t('help')}>
      <table class="keys">
        <tbody>
          ${currentKeys().map(
            ([key, word]) => html`
              <tr key=${word}>
                <th scope="row">
                  <kbd>${key}</kbd>
                </th>
                <td>${t(word)}</td>
              </tr>
            `,
          )}
        </tbody>
      </table>
    </${Dialog}>
  `;
}
