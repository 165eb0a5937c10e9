// Component Section: the rules notebook: files, editor, and a column of cells with the effects of each edit.
import { html, loadModule, loadStyle, useEffect, useRef, useState } from '../html.js';
import { request } from '../link.js';
import { useSettings } from '../settings.js';
import { t } from '../words.js';
import { EditorPane } from './editor_pane.js';
import { FilePane } from './file_pane.js';
import { findCopy } from './kept_copies.js';
import { Lab } from './lab.js';
import { NotebookPane } from './notebook_pane.js';
import { PaneTabs } from './pane_tabs.js';
import { pinnedGame } from './pin.js';
import { COPY_MARK, LINK_MARK, unpack } from './share_link.js';
import { SharedFiles } from './shared_files.js';
import { useLab } from './use_lab.js';
import './words.js';

await loadStyle('lab/lab');

const forgetPath = (game) => history.replaceState(null, '', `#/rules/${encodeURIComponent(game)}`);

// Open what the address names: the files of a link, a kept copy, or a game; else go on where this tab was.
async function openAddress(lab, [game = '', detail = ''], catalogue, setOffer) {
  const first = catalogue.games.some((item) => item.name === game) ? game : '';
  if (detail.startsWith(LINK_MARK)) {
    const shared = await unpack(detail).catch(() => null);
    forgetPath(first || catalogue.first);
    if (shared) {
      setOffer(shared);
      lab.set({ status: '' });
      return;
    }
    await lab.open(first || catalogue.first);
    lab.set({ status: t('linkDamaged') });
    return;
  }
  if (detail.startsWith(COPY_MARK)) {
    const copy = await findCopy(detail.slice(COPY_MARK.length)).catch(() => null);
    forgetPath(first || catalogue.first);
    if (copy) {
      await lab.open(copy.game, copy);
      return;
    }
  }
  if (await lab.resume(first)) return;
  const pinned = catalogue.games.find((item) => item.name === pinnedGame()?.game)?.name;
  await lab.open(first || pinned || catalogue.first);
}

export function Section({ path }) {
  const { language } = useSettings();
  const [games, setGames] = useState([]);
  const [offer, setOffer] = useState(null);
  const [pane, setPane] = useState('cells');
  const labRef = useRef(null);
  labRef.current ??= new Lab();
  const lab = labRef.current;
  const editorHost = useRef(null);
  const state = useLab(lab);

  useEffect(() => {
    let isClosed = false;
    lab.set({ status: t('labWorking') });
    (async () => {
      const [catalogue, { mount }] = await Promise.all([request('/api/games'), loadModule('lab/editor')]);
      if (isClosed) return;
      setGames(catalogue.games);
      lab.editor = mount(editorHost.current, {
        changed: lab.onEdit,
        follow: (options) => lab.goToDefinition(options).catch(lab.showError),
        rename: (options) => {
          const name = prompt(t('labRename'));
          if (name) lab.rename(options, name).catch(lab.showError);
        },
        save: () => lab.saveAndCheck().catch(lab.showError),
        words: { editor: t('labFiles'), silent: t('labSilent'), differs: t('labDiffers') },
        complete: (options) => lab.call('complete', { name: lab.state.file, ...options }).catch(() => null),
        hover: (options) => lab.call('hover', { name: lab.state.file, ...options }).catch(() => null),
      });
      await openAddress(lab, path, catalogue, setOffer);
    })().catch(lab.showError);
    return () => {
      isClosed = true;
      lab.close();
    };
  }, []);

  const answerOffer = (game, files) => {
    setOffer(null);
    const known = games.some((item) => item.name === game) ? game : games[0].name;
    lab.open(known, { files }).catch((problem) => lab.open(games[0].name).then(() => lab.showError(problem)));
  };
  return html`
    ${
      offer &&
      html`
        <${SharedFiles}
          offer=${offer}
          accept=${() => answerOffer(offer.game, offer.files)}
          refuse=${() => answerOffer(offer.game, {})}
        />
      `
    }
    <${PaneTabs} pane=${pane} choose=${setPane} />
    <div class="lab" data-pane=${pane} data-version=${state.version} aria-busy=${state.isBusy}>
      <${FilePane} lab=${lab} state=${state} games=${games} language=${language} opened=${() => setPane('text')} />
      <${EditorPane} lab=${lab} state=${state} editorHost=${editorHost} />
      <${NotebookPane} lab=${lab} state=${state} games=${games} language=${language} />
    </div>
  `;
}
