// Component Section: rule files of a game in an editor, and the effect of each edit on pinned positions.
import { ProofTree } from '../advice/proof_tree.js';
import { announce } from '../announce.js';
import { html, later, useEffect, useRef, useState } from '../html.js';
import { ask } from '../link.js';
import { settings, useSettings } from '../settings.js';
import { t } from '../words.js';
import { BalanceTable } from './balance_table.js';
import { JobPanel } from './job_panel.js';
import { moveText } from './move_text.js';
import { PinnedPosition } from './pinned_position.js';
import { LINK_MARK, MAX_LINK_LENGTH, pack, unpack } from './share_link.js';
import { useJob } from './use_job.js';
import { WeightSliders } from './weight_sliders.js';
import './words.js';

const TYPING_PAUSE = 400;

const STORAGE_KEY = 'lab';

export function Section({ rest }) {
  const { language } = useSettings();
  const [games, setGames] = useState([]);
  const [lab, setLab] = useState(null);
  const [files, setFiles] = useState([]);
  const [file, setFile] = useState('');
  const [states, setStates] = useState([]);
  const [outcome, setOutcome] = useState({ problems: [], pinned: [] });
  const [state, setState] = useState('');
  const [more, setMore] = useState(null);
  const [draft, setDraft] = useState('');
  const [refused, setRefused] = useState('');
  const [folder, setFolder] = useState('my-rules');
  const [weighs, setWeighs] = useState(false);
  const [version, setVersion] = useState(0);
  const [offered, setOffered] = useState(null);
  const holder = useRef(null);
  const here = useRef({});
  Object.assign(here.current, { lab, file, states, files });

  const at = async (what, asked = {}) => {
    const found = await ask(`/api/labs/${here.current.lab.lab}`, { do: what, ...asked });
    if (found.refused) setRefused(found.refused);
    return found;
  };
  const trouble = (problem) => {
    setState(problem.message);
    announce(problem.message);
  };
  const work = useJob(at, trouble);
  const taken = (found) => {
    setFiles(found.files);
    setRefused(found.refused ?? '');
    setVersion((now) => now + 1);
    setOutcome((was) => ({
      ...found,
      pinned: found.pinned.length || !found.problems.some((each) => each.error) ? found.pinned : was.pinned,
    })); // of rules with errors nothing is known
    setState(t('labSaved', found.seconds));
    const mine = found.problems.filter((each) => each.own && each.file === here.current.file);
    here.current.editor?.problems(mine);
    announce(
      found.problems.some((each) => each.error)
        ? `${t('labProblems')}: ${found.problems[0].text}`
        : t('labSaved', found.seconds),
    );
  };

  const begin = async (game, brought) => {
    setState(t('labWorking'));
    work.forget();
    const found = await ask('/api/labs', { game, ...(brought ? { files: brought } : {}) });
    setLab(found);
    here.current.lab = found;
    setFiles(found.files);
    setStates(found.states);
    here.current.states = found.states;
    setMore(null);
    await openFile(
      (
        found.files.find((each) => each.name === 'rules.lp') ??
        found.files.find((each) => each.name === 'labels.lp') ??
        found.files[0]
      ).name,
    );
    taken(await at('look', { states: found.states }));
  };

  const openFile = async (wanted, line = 0, column = 1) => {
    await flush();
    const { text } = await at('read', { name: wanted });
    setFile(wanted);
    here.current.file = wanted;
    here.current.dirty = false;
    const { editor } = here.current;
    editor.show(text);
    editor.problems(outcome.problems.filter((each) => each.own && each.file === wanted));
    if (line) editor.go(line, column);
  };

  // What is typed is parsed after a moment, and saved and loaded after a pause.
  const changed = () => {
    here.current.dirty = true;
    setState(t('labUnsaved'));
    clearTimeout(here.current.typing);
    clearTimeout(here.current.saving);
    here.current.typing = setTimeout(async () => {
      const { editor, file: now } = here.current;
      const text = editor.text();
      const { problems } = await at('typed', { name: now, text });
      if (editor.text() === text && here.current.file === now && problems.length) editor.problems(problems);
    }, TYPING_PAUSE / 2);
    here.current.saving = setTimeout(() => save().catch(trouble), TYPING_PAUSE);
  };

  const save = async () => {
    clearTimeout(here.current.saving);
    const { editor, file: now } = here.current;
    here.current.dirty = false;
    setState(t('labWorking'));
    taken(await at('write', { name: now, text: editor.text(), states: here.current.states }));
  };
  // Who saves by hand wants to know it all: what play would ask is asked, too.
  const saveAndCheck = async () => {
    await save();
    const { problems } = await at('check');
    if (problems.some((each) => each.error)) {
      setOutcome((was) => ({ ...was, problems }));
      here.current.editor.problems(problems.filter((each) => each.own && each.file === here.current.file));
    } else await work.begin('cases');
  };
  const flush = () => (here.current.dirty ? save() : Promise.resolve());
  const again = async (positions) => {
    setStates(positions);
    here.current.states = positions;
    taken(await at('look', { states: positions }));
  };

  const follow = async (asked) => {
    const { places } = await at('define', { name: here.current.file, ...asked });
    const found = places.find((each) => here.current.files.some((known) => known.name === each.file)) ?? places[0];
    if (!found) return;
    if (here.current.files.some((known) => known.name === found.file))
      await openFile(found.file, found.line, found.column);
    else setState(`${found.folder}/${found.file}:${found.line}`);
  };
  const rename = async (asked) => {
    const to = prompt(t('labRename'));
    if (!to) return;
    const now = here.current.file;
    await flush();
    await at('rename', { name: now, ...asked, to });
    await openFile(now);
    taken(await at('look', { states: here.current.states }));
  };
  const keepWeights = async (factors) => {
    const now = here.current.file;
    await flush();
    await at('reweigh', { factors });
    await openFile(now);
    taken(await at('look', { states: here.current.states }));
  };
  const why = async (position, move, before) =>
    setMore({
      kind: 'why',
      move,
      readings: (
        await at('why', { state: position, play: typeof move === 'string' ? move : JSON.stringify(move), before })
      ).readings,
    });

  const does = (call) => () => {
    setState(t('labWorking'));
    call().then(() => setState(''), trouble);
  };
  const smallest = does(async () => {
    const { state: found } = await at('smallest');
    if (found) await again([found, ...here.current.states]);
    else setMore({ kind: 'text', text: t('labNoDifference') });
  });
  const coverage = does(async () => {
    const found = await at('coverage', { games: 300 });
    here.current.editor.silent(
      found.silent.filter((each) => each.file === here.current.file).map((each) => each.line),
      t('labSilent', found.games),
    );
    setMore({ kind: 'coverage', found });
  });
  const balance = does(async () =>
    setMore({ kind: 'balance', sides: (await at('balance', { games: 1000, player: 'kb' })).balance }),
  );
  const words = does(async () => setMore({ kind: 'words', sections: (await at('words', { language })).sections }));
  const replay = (event) =>
    does(async () => {
      const text = await event.target.files[0].text();
      event.target.value = '';
      setMore({ kind: 'replay', found: await at('replay', { text }) });
    })();
  const linked = does(async () => {
    await flush();
    const game = encodeURIComponent(here.current.lab.game);
    const text = `${location.origin}${location.pathname}#/rules/${game}/${await pack(await at('own'))}`;
    if (text.length > MAX_LINK_LENGTH) {
      setMore({ kind: 'text', text: t('linkLong') });
      return;
    }
    await navigator.clipboard?.writeText(text).catch(() => {});
    setMore({ kind: 'link', text });
  });
  const keep = does(async () => setMore({ kind: 'text', text: t('labKept', (await at('save', { folder })).saved) }));
  const play = does(async () => {
    await flush();
    const made = await ask('/api/tables', { name: settings().name, game: `lab:${here.current.lab.lab}` });
    sessionStorage.setItem('table', JSON.stringify([made.table, made.token]));
    location.hash = '#/play';
  });
  const added = does(async () => {
    const wanted = prompt(t('labNewName'), 'more.lp');
    if (!wanted) return;
    await flush();
    taken(await at('write', { name: wanted, text: `% ${wanted}\n`, states: here.current.states }));
    await openFile(wanted);
  });

  useEffect(() => {
    let gone = false;
    (async () => {
      const [known, { mount }] = await Promise.all([ask('/api/games'), later('lab/editor')]);
      if (gone) return;
      setGames(known.games);
      here.current.editor = mount(holder.current, {
        changed,
        follow: (asked) => follow(asked).catch(trouble),
        rename: (asked) => rename(asked).catch(trouble),
        save: () => saveAndCheck().catch(trouble),
        words: { editor: t('labFiles') },
        complete: (asked) => at('complete', { name: here.current.file, ...asked }).catch(() => null),
        hover: (asked) => at('hover', { name: here.current.file, ...asked }).catch(() => null),
      });
      const first = known.games.some((each) => each.name === rest[0]) ? rest[0] : known.first;
      if (rest[1]?.startsWith(LINK_MARK)) {
        const brought = await unpack(rest[1]).catch(() => null);
        history.replaceState(null, '', `#/rules/${encodeURIComponent(first)}`);
        if (brought) {
          setOffered(brought);
          setState('');
          return;
        }
        setState(t('linkDamaged'));
        await begin(first);
        setState(t('linkDamaged'));
        return;
      }
      const kept = JSON.parse(sessionStorage.getItem(STORAGE_KEY) || 'null');
      if (kept && (!rest[0] || kept.game === rest[0])) {
        try {
          setLab(kept);
          here.current.lab = kept;
          const found = await at('look', { states: kept.states });
          setStates(kept.states);
          here.current.states = kept.states;
          taken(found);
          await openFile(
            kept.file && found.files.some((each) => each.name === kept.file) ? kept.file : found.files[0].name,
          );
          return;
        } catch {
          setState(t('labGoneAway'));
        }
      }
      await begin(first);
    })().catch(trouble);
    return () => {
      gone = true;
      clearTimeout(here.current.saving);
      clearTimeout(here.current.typing);
      here.current.editor?.destroy();
    };
  }, []);
  useEffect(() => {
    if (lab) sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ ...lab, states, file }));
  }, [lab, states, file]);

  const own = files.find((each) => each.name === file)?.own;
  const errors = outcome.problems;
  const answered = (game, brought) => {
    setOffered(null);
    begin(game, brought).catch((problem) => {
      trouble(problem);
      return begin(games[0].name).then(() => trouble(problem));
    });
  };
  return html`
    ${
      offered &&
      html`
        <section class="panel offered" role="alertdialog" aria-label=${t('linkOpen')}>
          <p>${t('linkBrings', offered.game, Object.keys(offered.files).join(', ').slice(0, 400))}</p>
          ${Object.entries(offered.files).map(
            ([name_, text]) => html`
              <details key=${name_}>
                <summary>
                  ${name_.slice(0, 60)} <span class="small">${text.length}</span>
                </summary>
                <pre>${text.slice(0, 20000)}</pre>
              </details>
            `,
          )}
          <p class="buttons">
            <button type="button" class="strong" onClick=${() => answered(offered.game, offered.files)}>
              ${t('linkOpen')}
            </button>
            <button
              type="button"
              onClick=${() => answered(games.some((each) => each.name === offered.game) ? offered.game : games[0].name)}
            >
              ${t('linkRefuse')}
            </button>
          </p>
        </section>
      `
    }
    <div class="lab" data-version=${version}>
      <nav class="lab-files" aria-label=${t('labFiles')}>
        <label class="small">
          ${t('labGame')}${' '}
          <select value=${lab?.game ?? ''} onChange=${(event) => begin(event.target.value).catch(trouble)}>
            ${games.map(
              (each) => html`
                <option key=${each.name} value=${each.name}>
                  ${each.title[language === 'zh' ? 1 : 0]}
                </option>
              `,
            )}
          </select>
        </label>
        <ul>
          ${files.map(
            (each) => html`
              <li key=${each.name}>
                <button
                  type="button"
                  class="quiet"
                  aria-current=${each.name === file ? 'true' : undefined}
                  onClick=${() => openFile(each.name).catch(trouble)}
                >
                  ${each.name}
                  ${
                    each.own
                      ? html`
                        ${' '}
                        <span title=${t('labOwn')}>
                          ✎<span class="unseen">${t('labOwn')}</span>
                        </span>
                      `
                      : ''
                  }
                </button>
              </li>
            `,
          )}
        </ul>
        <button type="button" onClick=${added}>
          ${t('labNew')}
        </button>
      </nav>
      <section class="lab-text" aria-label=${t('labEditor', file)}>
        <div class="buttons">
          <h1>${file}</h1>
          <span class="grow"></span>
          <span class="small" role="status">
            ${state}
          </span>
          <button type="button" class="strong" disabled=${!lab} onClick=${() => saveAndCheck().catch(trouble)}>
            ${t('labSave')} <kbd>Ctrl S</kbd>
          </button>
          ${
            own &&
            file !== 'variant.lp' &&
            html`
              <button
                type="button"
                onClick=${does(async () => {
                  here.current.dirty = false;
                  taken(await at('revert', { name: file, states }));
                  await openFile(files.length ? file : 'variant.lp').catch(() => openFile('variant.lp'));
                })}
              >
                ${t('labRevert')}
              </button>
            `
          }
        </div>
        <div class="lab-editor" ref=${holder}></div>
        <p class="small">${t('labKeys')}</p>
        ${
          errors.length > 0
            ? html`
              <h2>${t('labProblems')}</h2>
              <ul class="problems">
                ${errors.map(
                  (each, place) => html`
                    <li key=${place} class=${each.error ? 'problem' : 'small'}>
                      <button
                        type="button"
                        class="quiet"
                        disabled=${!each.own}
                        onClick=${() => openFile(each.file, each.line, each.column).catch(trouble)}
                      >
                        ${each.file}:${each.line}
                      </button>${' '}
                      ${each.text}
                      ${each.remedy && ` (${each.remedy})`}
                    </li>
                  `,
                )}
              </ul>
            `
            : html`
              <p class="small">${t('labNone')}</p>
            `
        }
      </section>
      <aside class="lab-side">
        <div class="buttons">
          <button type="button" onClick=${smallest}>
            ${t('labSmallest')}
          </button>
          <button type="button" onClick=${coverage}>
            ${t('labCoverage')}
          </button>
          <button type="button" onClick=${balance}>
            ${t('labBalance')}
          </button>
          <button type="button" onClick=${words}>
            ${t('labWords')}
          </button>
          <button type="button" onClick=${() => flush().then(() => work.begin('cases'), trouble)}>
            ${t('labCases')}
          </button>
          <button type="button" onClick=${() => flush().then(() => work.begin('mutations'), trouble)}>
            ${t('labMutations')}
          </button>
          <button type="button" aria-pressed=${weighs} onClick=${() => setWeighs(!weighs)}>
            ${t('labWeights')}
          </button>
          <button type="button" class="strong" onClick=${play}>
            ${t('labPlay')}
          </button>
        </div>
        ${
          more &&
          html`
            <div class="lab-more">
              <button type="button" class="quiet" aria-label=${t('close')} onClick=${() => setMore(null)}>
                ✕
              </button>
              ${
                more.kind === 'replay' &&
                html`
                  <p>${t('labReplayed', more.found.episodes, more.found.plays, more.found.different)}</p>
                  <ul>
                    ${more.found.first.map(
                      (each, place) => html`
                        <li key=${place}>
                          ${each.line}: ${each.text}
                        </li>
                      `,
                    )}
                  </ul>
                `
              }
              ${
                more.kind === 'link' &&
                html`
                  <p>${t('linkMade', more.text.length)}</p>
                  <input
                    readonly
                    aria-label=${t('linkMake')}
                    class="link"
                    value=${more.text}
                    onFocus=${(event) => event.target.select()}
                  />
                `
              }
              ${more.kind === 'text' && html`<p>${more.text}</p>`}
              ${more.kind === 'balance' && html`<${BalanceTable} sides=${more.sides} />`}
              ${
                more.kind === 'coverage' &&
                html`
                  <p>${t('labCovered', more.found.silent.length, more.found.rules, more.found.games)}</p>
                  <ul class="problems">
                    ${more.found.silent.map(
                      (each, place) => html`
                        <li key=${place} class="small">
                          <button
                            type="button"
                            class="quiet"
                            onClick=${() => openFile(each.file, each.line).catch(trouble)}
                          >
                            ${each.file}:${each.line}
                          </button>${' '}
                          <code>${each.rule}</code>
                        </li>
                      `,
                    )}
                  </ul>
                `
              }
              ${
                more.kind === 'words' &&
                more.sections.map(
                  (each) => html`
                    <h3 key=${each.heading}>${each.heading}</h3>
                    <ul>
                      ${each.lines.map(
                        (line, place) => html`
                          <li key=${place}>${line}</li>
                        `,
                      )}
                    </ul>
                  `,
                )
              }
              ${
                more.kind === 'why' &&
                html`
                  <h3>${moveText(more.move)}</h3>
                  ${more.readings.map(
                    (each, place) => html`
                      <${ProofTree} key=${place} why=${each.why} />
                    `,
                  )}
                `
              }
            </div>
          `
        }
        ${
          refused &&
          html`
            <p class="problem" role="status">
              ${t('oldRules')} ${refused}
            </p>
          `
        }
        <${JobPanel} work=${work} open=${(name_, line) => openFile(name_, line).catch(trouble)} />
        ${
          weighs &&
          lab &&
          html`
            <${WeightSliders}
              at=${at}
              states=${states}
              language=${language}
              work=${work}
              trouble=${trouble}
              version=${version}
              keep=${keepWeights}
            />
          `
        }
        <h2>${t('labPinned')}</h2>
        <ul class="pins">
          ${(outcome.pinned.length
            ? outcome.pinned
            : states.map((each) => ({ state: each, before: '…', after: '' }))
          ).map(
            (each, place) => html`
              <${PinnedPosition}
                key=${place}
                pinned=${each}
                why=${(...asked) => why(...asked).catch(trouble)}
                unpin=${() => again(states.filter((_, other) => other !== place)).catch(trouble)}
              />
            `,
          )}
        </ul>
        <form
          onSubmit=${(event) => {
            event.preventDefault();
            try {
              again([...states, JSON.parse(draft)]).then(() => setDraft(''), trouble);
            } catch (problem) {
              trouble(problem);
            }
          }}
        >
          <label>
            ${t('labState')}${' '}
            <textarea
              rows="3"
              value=${draft}
              placeholder='{"hand": …, "to_beat": null}'
              onInput=${(event) => setDraft(event.target.value)}
            ></textarea>
          </label>${' '}
          <button type="submit">${t('labPin')}</button>
        </form>
        <label>
          ${t('labReplay')} <input type="file" accept=".jsonl,.json,.txt" onChange=${replay} />
        </label>
        <h2>${t('labFolder')}</h2>
        <div class="buttons">
          <input aria-label=${t('labFolder')} value=${folder} onInput=${(event) => setFolder(event.target.value)} />
          ${
            lab &&
            html`
              <a class="button" download href=${`/api/labs/${lab.lab}/${encodeURIComponent(folder)}.zip`}>
                ${t('labZip')}
              </a>
            `
          }
          <button type="button" disabled=${!lab} onClick=${linked}>
            ${t('linkMake')}
          </button>
          ${
            lab?.saves &&
            html`
              <button type="button" onClick=${keep}>
                ${t('labKeep')}
              </button>
            `
          }
        </div>
      </aside>
    </div>
  `;
}
