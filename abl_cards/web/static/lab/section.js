// Component Section: rule files of a game in an editor, and the effect of each edit on pinned positions.
import { announce } from '../announce.js';
import { html, loadModule, loadStyle, useEffect, useRef, useState } from '../html.js';
import { request } from '../link.js';
import { settings, useSettings } from '../settings.js';
import { t } from '../words.js';
import { JobPanel } from './job_panel.js';
import { LabDetails } from './lab_details.js';
import { PinnedPosition } from './pinned_position.js';
import { LINK_MARK, MAX_LINK_LENGTH, pack, unpack } from './share_link.js';
import { SharedFiles } from './shared_files.js';
import { useJob } from './use_job.js';
import { WeightSliders } from './weight_sliders.js';
import './words.js';

await loadStyle('lab/lab');

const TYPING_PAUSE = 400;

const STORAGE_KEY = 'lab';

export function Section({ path }) {
  const { language } = useSettings();
  const [games, setGames] = useState([]);
  const [lab, setLab] = useState(null);
  const [files, setFiles] = useState([]);
  const [file, setFile] = useState('');
  const [states, setStates] = useState([]);
  const [outcome, setOutcome] = useState({ problems: [], pinned: [] });
  const [state, setState] = useState('');
  const [details, setDetails] = useState(null);
  const [draft, setDraft] = useState('');
  const [refused, setRefused] = useState('');
  const [folder, setFolder] = useState('my-rules');
  const [showWeights, setShowWeights] = useState(false);
  const [version, setVersion] = useState(0);
  const [offer, setOffer] = useState(null);
  const editorHost = useRef(null);
  const latest = useRef({});
  Object.assign(latest.current, { lab, file, states, files });

  const callLab = async (action, options = {}) => {
    const response = await request(`/api/labs/${latest.current.lab.lab}`, { do: action, ...options });
    if (response.refused) setRefused(response.refused);
    return response;
  };
  const showError = (problem) => {
    setState(problem.message);
    announce(problem.message);
  };
  const work = useJob(callLab, showError);
  const applyOutcome = (response) => {
    setFiles(response.files);
    setRefused(response.refused ?? '');
    setVersion((count) => count + 1);
    setOutcome((previous) => ({
      ...response,
      pinned:
        response.pinned.length || !response.problems.some((problem) => problem.error)
          ? response.pinned
          : previous.pinned,
    })); // rules with errors have no legal moves to compare
    setState(t('labSaved', response.seconds));
    const fileProblems = response.problems.filter((problem) => problem.own && problem.file === latest.current.file);
    latest.current.editor?.problems(fileProblems);
    announce(
      response.problems.some((problem) => problem.error)
        ? `${t('labProblems')}: ${response.problems[0].text}`
        : t('labSaved', response.seconds),
    );
  };

  const openGame = async (game, sharedFiles) => {
    setState(t('labWorking'));
    work.forget();
    const response = await request('/api/labs', { game, ...(sharedFiles ? { files: sharedFiles } : {}) });
    setLab(response);
    latest.current.lab = response;
    setFiles(response.files);
    setStates(response.states);
    latest.current.states = response.states;
    setDetails(null);
    await openFile(
      (
        response.files.find((file) => file.name === 'rules.lp') ??
        response.files.find((file) => file.name === 'labels.lp') ??
        response.files[0]
      ).name,
    );
    applyOutcome(await callLab('look', { states: response.states }));
  };

  const openFile = async (fileName, line = 0, column = 1) => {
    await flush();
    const { text } = await callLab('read', { name: fileName });
    setFile(fileName);
    latest.current.file = fileName;
    latest.current.dirty = false;
    const { editor } = latest.current;
    editor.show(text);
    editor.problems(outcome.problems.filter((problem) => problem.own && problem.file === fileName));
    if (line) editor.go(line, column);
  };

  // Parse the text after a short pause in typing; save and load it after a longer one.
  const onEdit = () => {
    latest.current.dirty = true;
    setState(t('labUnsaved'));
    clearTimeout(latest.current.typing);
    clearTimeout(latest.current.saving);
    latest.current.typing = setTimeout(async () => {
      const { editor, file: name } = latest.current;
      const text = editor.text();
      const { problems } = await callLab('typed', { name, text });
      if (editor.text() === text && latest.current.file === name && problems.length) editor.problems(problems);
    }, TYPING_PAUSE / 2);
    latest.current.saving = setTimeout(() => save().catch(showError), TYPING_PAUSE);
  };

  const save = async () => {
    clearTimeout(latest.current.saving);
    const { editor, file: name } = latest.current;
    latest.current.dirty = false;
    setState(t('labWorking'));
    applyOutcome(await callLab('write', { name, text: editor.text(), states: latest.current.states }));
  };
  // Saving by hand also runs the checks that play requires, then the test cases.
  const saveAndCheck = async () => {
    await save();
    const { problems } = await callLab('check');
    if (problems.some((problem) => problem.error)) {
      setOutcome((previous) => ({ ...previous, problems }));
      latest.current.editor.problems(problems.filter((problem) => problem.own && problem.file === latest.current.file));
    } else await work.begin('cases');
  };
  const flush = () => (latest.current.dirty ? save() : Promise.resolve());
  const updatePositions = async (positions) => {
    setStates(positions);
    latest.current.states = positions;
    applyOutcome(await callLab('look', { states: positions }));
  };

  const goToDefinition = async (options) => {
    const { places } = await callLab('define', { name: latest.current.file, ...options });
    const target = places.find((place) => latest.current.files.some((item) => item.name === place.file)) ?? places[0];
    if (!target) return;
    if (latest.current.files.some((item) => item.name === target.file))
      await openFile(target.file, target.line, target.column);
    else setState(`${target.folder}/${target.file}:${target.line}`);
  };
  const rename = async (options) => {
    const newName = prompt(t('labRename'));
    if (!newName) return;
    const name = latest.current.file;
    await flush();
    await callLab('rename', { name, ...options, to: newName });
    await openFile(name);
    applyOutcome(await callLab('look', { states: latest.current.states }));
  };
  const keepWeights = async (factors) => {
    const name = latest.current.file;
    await flush();
    await callLab('reweigh', { factors });
    await openFile(name);
    applyOutcome(await callLab('look', { states: latest.current.states }));
  };
  const explain = async (position, move, original) =>
    setDetails({
      kind: 'why',
      move,
      readings: (
        await callLab('why', {
          state: position,
          play: typeof move === 'string' ? move : JSON.stringify(move),
          before: original,
        })
      ).readings,
    });

  const withStatus = (call) => () => {
    setState(t('labWorking'));
    call().then(() => setState(''), showError);
  };
  const smallest = withStatus(async () => {
    const { state: smallestState } = await callLab('smallest');
    if (smallestState) await updatePositions([smallestState, ...latest.current.states]);
    else setDetails({ kind: 'text', text: t('labNoDifference') });
  });
  const coverage = withStatus(async () => {
    const response = await callLab('coverage', { games: 300 });
    latest.current.editor.silent(
      response.silent.filter((rule) => rule.file === latest.current.file).map((rule) => rule.line),
      t('labSilent', response.games),
    );
    setDetails({ kind: 'coverage', found: response });
  });
  const balance = withStatus(async () =>
    setDetails({ kind: 'balance', sides: (await callLab('balance', { games: 1000, player: 'kb' })).balance }),
  );
  const showWords = withStatus(async () =>
    setDetails({ kind: 'words', sections: (await callLab('words', { language })).sections }),
  );
  const replay = (event) =>
    withStatus(async () => {
      const text = await event.target.files[0].text();
      event.target.value = '';
      setDetails({ kind: 'replay', found: await callLab('replay', { text }) });
    })();
  const copyLink = withStatus(async () => {
    await flush();
    const game = encodeURIComponent(latest.current.lab.game);
    const text = `${location.origin}${location.pathname}#/rules/${game}/${await pack(await callLab('own'))}`;
    if (text.length > MAX_LINK_LENGTH) {
      setDetails({ kind: 'text', text: t('linkLong') });
      return;
    }
    await navigator.clipboard?.writeText(text).catch(() => {});
    setDetails({ kind: 'link', text });
  });
  const saveFolder = withStatus(async () =>
    setDetails({ kind: 'text', text: t('labKept', (await callLab('save', { folder })).saved) }),
  );
  const play = withStatus(async () => {
    await flush();
    const table = await request('/api/tables', { name: settings().name, game: `lab:${latest.current.lab.lab}` });
    sessionStorage.setItem('table', JSON.stringify([table.table, table.token]));
    location.hash = '#/play';
  });
  const addFile = withStatus(async () => {
    const fileName = prompt(t('labNewName'), 'more.lp');
    if (!fileName) return;
    await flush();
    applyOutcome(await callLab('write', { name: fileName, text: `% ${fileName}\n`, states: latest.current.states }));
    await openFile(fileName);
  });

  useEffect(() => {
    let closed = false;
    (async () => {
      const [catalogue, { mount }] = await Promise.all([request('/api/games'), loadModule('lab/editor')]);
      if (closed) return;
      setGames(catalogue.games);
      latest.current.editor = mount(editorHost.current, {
        changed: onEdit,
        follow: (options) => goToDefinition(options).catch(showError),
        rename: (options) => rename(options).catch(showError),
        save: () => saveAndCheck().catch(showError),
        words: { editor: t('labFiles') },
        complete: (options) => callLab('complete', { name: latest.current.file, ...options }).catch(() => null),
        hover: (options) => callLab('hover', { name: latest.current.file, ...options }).catch(() => null),
      });
      const first = catalogue.games.some((game) => game.name === path[0]) ? path[0] : catalogue.first;
      if (path[1]?.startsWith(LINK_MARK)) {
        const sharedFiles = await unpack(path[1]).catch(() => null);
        history.replaceState(null, '', `#/rules/${encodeURIComponent(first)}`);
        if (sharedFiles) {
          setOffer(sharedFiles);
          setState('');
          return;
        }
        setState(t('linkDamaged'));
        await openGame(first);
        setState(t('linkDamaged'));
        return;
      }
      const stored = JSON.parse(sessionStorage.getItem(STORAGE_KEY) || 'null');
      if (stored && (!path[0] || stored.game === path[0])) {
        try {
          setLab(stored);
          latest.current.lab = stored;
          const response = await callLab('look', { states: stored.states });
          setStates(stored.states);
          latest.current.states = stored.states;
          applyOutcome(response);
          await openFile(
            stored.file && response.files.some((file) => file.name === stored.file)
              ? stored.file
              : response.files[0].name,
          );
          return;
        } catch {
          setState(t('labGoneAway'));
        }
      }
      await openGame(first);
    })().catch(showError);
    return () => {
      closed = true;
      clearTimeout(latest.current.saving);
      clearTimeout(latest.current.typing);
      latest.current.editor?.destroy();
    };
  }, []);
  useEffect(() => {
    if (lab) sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ ...lab, states, file }));
  }, [lab, states, file]);

  const isOwn = files.find((item) => item.name === file)?.own;
  const errors = outcome.problems;
  const answerOffer = (game, sharedFiles) => {
    setOffer(null);
    openGame(game, sharedFiles).catch((problem) => {
      showError(problem);
      return openGame(games[0].name).then(() => showError(problem));
    });
  };
  return html`
    ${
      offer &&
      html`
        <${SharedFiles}
          offer=${offer}
          accept=${() => answerOffer(offer.game, offer.files)}
          refuse=${() => answerOffer(games.some((game) => game.name === offer.game) ? offer.game : games[0].name)}
        />
      `
    }
    <div class="lab" data-version=${version}>
      <nav class="lab-files" aria-label=${t('labFiles')}>
        <label class="small">
          ${t('labGame')}${' '}
          <select value=${lab?.game ?? ''} onChange=${(event) => openGame(event.target.value).catch(showError)}>
            ${games.map(
              (game) => html`
                <option key=${game.name} value=${game.name}>
                  ${game.title[language === 'zh' ? 1 : 0]}
                </option>
              `,
            )}
          </select>
        </label>
        <ul>
          ${files.map(
            (item) => html`
              <li key=${item.name}>
                <button
                  type="button"
                  class="quiet"
                  aria-current=${item.name === file ? 'true' : undefined}
                  onClick=${() => openFile(item.name).catch(showError)}
                >
                  ${item.name}
                  ${
                    item.own
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
        <button type="button" onClick=${addFile}>
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
          <button type="button" class="strong" disabled=${!lab} onClick=${() => saveAndCheck().catch(showError)}>
            ${t('labSave')} <kbd>Ctrl S</kbd>
          </button>
          ${
            isOwn &&
            file !== 'variant.lp' &&
            html`
              <button
                type="button"
                onClick=${withStatus(async () => {
                  latest.current.dirty = false;
                  applyOutcome(await callLab('revert', { name: file, states }));
                  await openFile(files.length ? file : 'variant.lp').catch(() => openFile('variant.lp'));
                })}
              >
                ${t('labRevert')}
              </button>
            `
          }
        </div>
        <div class="lab-editor" ref=${editorHost}></div>
        <p class="small">${t('labKeys')}</p>
        ${
          errors.length > 0
            ? html`
              <h2>${t('labProblems')}</h2>
              <ul class="problems">
                ${errors.map(
                  (problem, index) => html`
                    <li key=${index} class=${problem.error ? 'problem' : 'small'}>
                      <button
                        type="button"
                        class="quiet"
                        disabled=${!problem.own}
                        onClick=${() => openFile(problem.file, problem.line, problem.column).catch(showError)}
                      >
                        ${problem.file}:${problem.line}
                      </button>${' '}
                      ${problem.text}
                      ${problem.remedy && ` (${problem.remedy})`}
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
          <button type="button" onClick=${showWords}>
            ${t('labWords')}
          </button>
          <button type="button" onClick=${() => flush().then(() => work.begin('cases'), showError)}>
            ${t('labCases')}
          </button>
          <button type="button" onClick=${() => flush().then(() => work.begin('mutations'), showError)}>
            ${t('labMutations')}
          </button>
          <button type="button" aria-pressed=${showWeights} onClick=${() => setShowWeights(!showWeights)}>
            ${t('labWeights')}
          </button>
          <button type="button" class="strong" onClick=${play}>
            ${t('labPlay')}
          </button>
        </div>
        ${
          details &&
          html`
            <${LabDetails}
              details=${details}
              close=${() => setDetails(null)}
              openFile=${(name, line) => openFile(name, line).catch(showError)}
            />
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
        <${JobPanel} work=${work} openFile=${(name, line) => openFile(name, line).catch(showError)} />
        ${
          showWeights &&
          lab &&
          html`
            <${WeightSliders}
              callLab=${callLab}
              states=${states}
              language=${language}
              work=${work}
              onError=${showError}
              version=${version}
              keep=${keepWeights}
            />
          `
        }
        <h2>${t('labPinned')}</h2>
        <ul class="pins">
          ${(outcome.pinned.length
            ? outcome.pinned
            : states.map((position) => ({ state: position, before: '…', after: '' }))
          ).map(
            (position, index) => html`
              <${PinnedPosition}
                key=${index}
                pinned=${position}
                deck=${outcome.deck}
                explain=${(...options) => explain(...options).catch(showError)}
                unpin=${() => updatePositions(states.filter((_, other) => other !== index)).catch(showError)}
              />
            `,
          )}
        </ul>
        <form
          onSubmit=${(event) => {
            event.preventDefault();
            try {
              updatePositions([...states, JSON.parse(draft)]).then(() => setDraft(''), showError);
            } catch (problem) {
              showError(problem);
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
          <button type="button" disabled=${!lab} onClick=${copyLink}>
            ${t('linkMake')}
          </button>
          ${
            lab?.saves &&
            html`
              <button type="button" onClick=${saveFolder}>
                ${t('labKeep')}
              </button>
            `
          }
        </div>
      </aside>
    </div>
  `;
}
