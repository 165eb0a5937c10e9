// Windows over the page: a new table, who sits where, settings, keys. The browser keeps what is behind them still.
import { html, useState, useEffect, useRef } from './html.js';
import { ask } from './link.js';
import { t } from './words.js';
import { say, set, useSettings } from './settings.js';

export function openDialog(name) {
  const found = document.getElementById(`dialog-${name}`);
  if (found && !found.open) {
    found.showModal();
    found.dispatchEvent(new Event('shown'));
  }
}

export function closeDialog(name) {
  document.getElementById(`dialog-${name}`)?.close();
}

function Dialog({ name, heading, children, shown }) {
  const self = useRef(null);
  useEffect(() => {
    const hear = () => shown?.();
    self.current.addEventListener('shown', hear);
    return () => self.current?.removeEventListener('shown', hear);
  });
  return html`
    <dialog
      id=${`dialog-${name}`}
      ref=${self}
      aria-labelledby=${`heading-${name}`}
      onClick=${(event) => event.target === self.current && self.current.close()}
    >
      <div class="inside">
        <header>
          <h2 id=${`heading-${name}`}>${heading}</h2>
          <button type="button" class="quiet" aria-label=${t('close')} onClick=${() => self.current.close()}>
            ✕
          </button>
        </header>
        ${children}
      </div>
    </dialog>
  `;
}

export function NewTable({ start, game }) {
  const [known, setKnown] = useState(null);
  const [problem, setProblem] = useState('');
  const [chosen, setChosen] = useState({ game: '', profile: '', seats: null, practice: true, seed: '' });
  const shown = () =>
    ask('/api/games').then(
      (told) => {
        setKnown(told);
        setChosen((now) => ({
          ...now,
          game: now.game || (told.games.some((each) => each.name === game) ? game : told.first),
        }));
      },
      (error) => setProblem(error.message),
    );
  const found = known?.games.find((each) => each.name === chosen.game);
  const [about, setAbout] = useState({});
  useEffect(() => {
    if (chosen.game && !about[chosen.game])
      ask(`/api/game?name=${encodeURIComponent(chosen.game)}`).then(
        (told) => {
          setProblem('');
          setAbout((now) => ({ ...now, [told.name]: told }));
        },
        (error) => setProblem(error.message),
      );
  }, [chosen.game]);
  const seats =
    chosen.seats?.game === chosen.game
      ? chosen.seats.who
      : Array.from({ length: about[chosen.game]?.seats ?? 0 }, (_, seat) => (seat ? 'kb' : 'person'));
  const seat = (place, who) =>
    setChosen({
      ...chosen,
      seats: { game: chosen.game, who: seats.map((each, other) => (other === place ? who : each)) },
    });
  const open = (event) => {
    event.preventDefault();
    closeDialog('new');
    start({
      game: chosen.game,
      ...(chosen.profile ? { profile: chosen.profile } : {}),
      ...(seats.length ? { seats } : {}),
      practice: chosen.practice,
      ...(chosen.seed !== '' ? { seed: chosen.seed } : {}),
    });
  };
  return html`
    <${Dialog} name="new" heading=${t('newTable')} shown=${shown}>
      ${
        problem &&
        html`
          <p class="problem" role="alert">
            ${problem}
          </p>
        `
      }
      ${
        known &&
        html`
          <form onSubmit=${open}>
            <label>
              ${t('game')}${' '}
              <select
                id="new-game"
                value=${chosen.game}
                onChange=${(event) => setChosen({ ...chosen, game: event.target.value, profile: '', seats: null })}
              >
                ${known.games.map(
                  (each) => html`
                    <option key=${each.name} value=${each.name}>
                      ${say(each.title)}
                    </option>
                  `,
                )}
              </select>
            </label>
            ${
              found?.profiles.length > 1 &&
              html`
                <label>
                  ${t('profile')}${' '}
                  <select
                    id="new-profile"
                    value=${chosen.profile || found.profile}
                    onChange=${(event) => setChosen({ ...chosen, profile: event.target.value })}
                  >
                    ${found.profiles.map(
                      (each) => html`
                        <option key=${each} value=${each}>
                          ${each.replaceAll('_', ' ')}
                          ${each === found.profile ? ` (${t('usual')})` : ''}
                        </option>
                      `,
                    )}
                  </select>
                </label>
              `
            }
            <fieldset>
              <legend>${t('seats')}</legend>
              ${seats.map(
                (who, place) => html`
                  <${Chooser}
                    key=${`${chosen.game}${place}`}
                    place=${place}
                    who=${who}
                    first=${seats.indexOf('person') === place}
                    agents=${found.agents}
                    choose=${(value) => seat(place, value)}
                  />
                `,
              )}
            </fieldset>
            <label>
              <input
                type="checkbox"
                checked=${chosen.practice}
                onChange=${(event) => setChosen({ ...chosen, practice: event.target.checked })}
              />${' '}
              ${t('practice')}
            </label>
            <label>
              ${t('seed')}${' '}
              <input
                id="new-seed"
                inputmode="numeric"
                pattern="[0-9]{0,39}"
                size="10"
                value=${chosen.seed}
                onInput=${(event) => setChosen({ ...chosen, seed: event.target.value.replace(/\D/g, '') })}
              />
            </label>
            <p class="buttons">
              <button type="submit" class="strong">
                ${t('open')}
              </button>
            </p>
          </form>
        `
      }
    </${Dialog}>
  `;
}

function Chooser({ place, who, first, agents, choose }) {
  const own = who !== 'person' && !agents.includes(who);
  const [named, setNamed] = useState(own);
  return html`
    <p class="chooser">
      <label>
        ${t('seat', place)}${' '}
        <select
          value=${named ? '…' : who}
          onChange=${(event) => {
            setNamed(event.target.value === '…');
            if (event.target.value !== '…') choose(event.target.value);
          }}
        >
          <option value="person">${first || who !== 'person' ? t('me') : t('person')}</option>
          ${agents.map(
            (each) => html`
              <option key=${each} value=${each}>
                ${each}
              </option>
            `,
          )}
          <option value="…">${t('agentNamed')}</option>
        </select>
      </label>
      ${
        named &&
        html`
          <input
            aria-label=${t('agentNamed')}
            size="18"
            placeholder="kb:without=…"
            value=${own ? who : ''}
            onChange=${(event) => choose(event.target.value.trim() || 'kb')}
          />
        `
      }
    </p>
  `;
}

const address = (table, key) => `${location.origin}${location.pathname}#/play/${table}/${key}`;

function CopyLink({ label, value }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setDone(true);
    } catch {
      setDone(false);
    }
  };
  return html`
    <p class="copy">
      <label>
        ${label} <input readonly value=${value} onFocus=${(event) => event.target.select()} />
      </label>${' '}
      <button type="button" onClick=${copy}>
        ${done ? t('copied') : t('copy')}
      </button>
    </p>
  `;
}

export function Invite({ seen, welcome, link }) {
  const seats = seen.seats.map((chair, seat) => ({ ...chair, seat }));
  const mayChange = (seat) => seen.owner || seat === seen.me;
  return html`
    <${Dialog} name="invite" heading=${t('seats')}>
      ${seats.map(
        ({ seat, kind, name, token, agent }) => html`
          <div key=${seat} class="chooser">
            <p>
              ${t('seat', seat)}: <b>${seat === seen.me ? t('you') : name || t('openSeat')}</b>
              ${
                mayChange(seat) &&
                kind === 'person' &&
                html`
                  ${' '}
                  <label>
                    ${seat === seen.me ? t('giveUp') : ''}${' '}
                    <select
                      aria-label=${t('giveUp')}
                      value=""
                      onChange=${(event) =>
                        event.target.value && link.say({ do: 'seat', seat, player: event.target.value })}
                    >
                      <option value="">…</option>
                      ${welcome.agents.map(
                        (each) => html`
                          <option key=${each} value=${each}>
                            ${each}
                          </option>
                        `,
                      )}
                    </select>
                  </label>
                `
              }
              ${
                kind === 'agent' &&
                (seen.owner || seat === seen.chair) &&
                html`
                  ${' '}
                  <button type="button" onClick=${() => link.say({ do: 'seat', seat, player: 'person' })}>
                    ${seen.me == null ? t('sit') : t('person')}
                  </button>
                `
              }
            </p>
            ${
              token &&
              seat !== seen.me &&
              html`
                <${CopyLink} label=${t('linkFor', t('seat', seat))} value=${address(welcome.table, token)} />
              `
            }
          </div>
        `,
      )}
      ${welcome.watch && html`<${CopyLink} label=${t('watchLink')} value=${address(welcome.table, welcome.watch)} />`}
      ${
        seen.seed != null &&
        html`
          <p class="small">
            ${t('seed')}: ${seen.seed}
          </p>
        `
      }
    </${Dialog}>
  `;
}

export function Settings() {
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

export function Help() {
  useSettings();
  return html`
    <${Dialog} name="help" heading=${t('help')}>
      <table class="keys">
        <tbody>
          ${KEYS.map(
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
