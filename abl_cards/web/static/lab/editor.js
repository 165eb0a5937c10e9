// Editor of the rules lab: CodeMirror in a shadow tree, where the page's content security policy allows its styles.
import * as cm from '../vendor/codemirror.mjs';

const { EditorState, EditorView, StateEffect, StateField, RangeSet, GutterMarker } = cm;

const language = cm.StreamLanguage.define({
  name: 'rules',
  startState: () => ({ block: 0 }),
  token(stream, state) {
    if (state.block || stream.match('%*')) {
      state.block = state.block || 1;
      while (!stream.eol())
        if (stream.match('*%')) {
          state.block = 0;
          break;
        } else stream.next();
      return 'comment';
    }
    if (stream.match(/^%.*/)) return 'comment';
    if (stream.match(/^"(?:\\.|[^"\\])*"?/)) return 'string';
    if (stream.match(/^#[a-z]+\+?/) || stream.match(/^:[-~]/) || stream.match(/^not\b/)) return 'keyword';
    if (stream.match(/^\d+/)) return 'number';
    if (stream.match(/^[_']*[A-Z][\w']*|^_\b/)) return 'variableName.special';
    if (stream.match(/^[_']*[a-z][\w']*(?=\()/)) return 'typeName';
    if (stream.match(/^[_']*[a-z][\w']*/)) return 'atom';
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '%' }, closeBrackets: { brackets: ['(', '{', '['] } },
});

const { tags } = cm;
const highlighting = cm.HighlightStyle.define([
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.keyword, color: 'var(--strong)', fontWeight: '600' },
  { tag: tags.number, color: 'var(--bad)' },
  { tag: tags.typeName, color: 'var(--ink)', fontWeight: '600' },
  { tag: tags.special(tags.variableName), color: 'var(--strong)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--panel)', fontSize: '14px' },
  '.cm-content': { fontFamily: 'ui-monospace, monospace', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-gutters': { backgroundColor: 'var(--page)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'light-dark(#0b5f8a14, #ffffff14)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'light-dark(#9fd0ea, #2a5a75) !important',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    maxWidth: '32rem',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--strong)', color: 'var(--on-strong)' },
  '.differs': { backgroundColor: 'light-dark(#ffe08a, #3d330c)' },
  '.explanation': { padding: '.4rem .6rem', whiteSpace: 'pre-wrap', font: '13px/1.4 system-ui, sans-serif' },
  '.cm-panels': { backgroundColor: 'var(--page)', color: 'var(--ink)' },
});

class Silent extends GutterMarker {
  toDOM() {
    const mark = document.createElement('span');
    mark.textContent = '○';
    mark.title = this.words;
    return mark;
  }
}

const setMarks = StateEffect.define();
const markedLines = StateField.define({
  create: () => cm.Decoration.none,
  update(now, transaction) {
    const markEffect = transaction.effects.find((effect) => effect.is(setMarks));
    return markEffect ? markEffect.value : now.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const setSilent = StateEffect.define();
const silentLines = StateField.define({
  create: () => RangeSet.empty,
  update(now, transaction) {
    const silentEffect = transaction.effects.find((effect) => effect.is(setSilent));
    return silentEffect ? silentEffect.value : now.map(transaction.changes);
  },
});

// The server counts code points, the browser UTF-16 units; they differ outside the Basic Multilingual Plane.
const SURROGATES = /[\ud800-\udfff]/;
const lettersBefore = (text, offset) => (SURROGATES.test(text) ? [...text.slice(0, offset)].length : offset);
const offsetOf = (text, letters) => (SURROGATES.test(text) ? [...text].slice(0, letters).join('').length : letters);

const stripMarkdown = (markdown) =>
  markdown
    .replace(/```\w*\n?/g, '')
    .replace(/`/g, '')
    .trim();

export function mount(parent, { changed, save, complete, hover, follow, rename, words }) {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  root.replaceChildren();
  const holder = document.createElement('div');
  holder.style.height = '100%';
  holder.addEventListener('keydown', (event) => event.stopPropagation()); // no shortcuts of the page while typing
  root.append(holder);
  const cursor = (view) => {
    const text = view.state.doc.toString();
    return { text, offset: lettersBefore(text, view.state.selection.main.head) };
  };
  const completeWord = async (context) => {
    const word = context.matchBefore(/[#\w']*/);
    if (!context.explicit && (!word || word.from === word.to)) return null;
    const text = context.state.doc.toString();
    const completion = await complete({ text, offset: lettersBefore(text, context.pos) });
    return (
      completion && {
        from: offsetOf(text, completion.from),
        options: completion.offers.map((offer) => ({
          label: offer.label,
          detail: offer.detail,
          type: { predicate: 'function', variable: 'variable', directive: 'keyword' }[offer.kind] ?? 'constant',
          apply: cm.snippet(offer.snippet),
          info: offer.words ? stripMarkdown(offer.words) : undefined,
        })),
      }
    );
  };
  const hoverInfo = cm.hoverTooltip(async (view, pos) => {
    const text = view.state.doc.toString();
    const hoverText = await hover({ text, offset: lettersBefore(text, pos) });
    if (!hoverText?.text) return null;
    return {
      pos,
      create: () => {
        const dom = document.createElement('div');
        dom.className = 'explanation';
        dom.textContent = stripMarkdown(hoverText.text);
        return { dom };
      },
    };
  });
  const keys = [
    {
      key: 'Mod-s',
      preventDefault: true,
      run: () => {
        save();
        return true;
      },
    },
    {
      key: 'F12',
      run: (view) => {
        follow(cursor(view));
        return true;
      },
    },
    {
      key: 'F2',
      run: (view) => {
        rename(cursor(view));
        return true;
      },
    },
  ];
  const extensions = [
    cm.lineNumbers(),
    cm.history(),
    cm.drawSelection(),
    cm.bracketMatching(),
    cm.closeBrackets(),
    cm.highlightActiveLine(),
    cm.search({ top: true }),
    cm.highlightSelectionMatches(),
    language,
    cm.syntaxHighlighting(highlighting),
    theme,
    hoverInfo,
    silentLines,
    markedLines,
    cm.gutter({ class: 'silent', markers: (view) => view.state.field(silentLines) }),
    cm.lintGutter(),
    cm.autocompletion({ override: [completeWord], closeOnBlur: true }),
    EditorView.contentAttributes.of({ 'aria-label': words.editor, tabindex: '0' }),
    cm.keymap.of([
      ...keys,
      ...cm.defaultKeymap,
      ...cm.historyKeymap,
      ...cm.searchKeymap,
      ...cm.completionKeymap,
      ...cm.lintKeymap,
    ]),
    EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
  ];
  const view = new EditorView({ root, parent: holder, state: EditorState.create({ doc: '', extensions }) });
  const offsetAt = (line, column) => {
    const documentLine = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
    return Math.min(documentLine.to, documentLine.from + Math.max(0, column - 1));
  };
  return {
    show(text) {
      view.setState(EditorState.create({ doc: text, extensions }));
    },
    text: () => view.state.doc.toString(),
    problems(problems) {
      const diagnostics = problems.map((decision) => {
        const from = offsetAt(decision.line, decision.column);
        return {
          from,
          to: Math.max(from, offsetAt(decision.end_line, decision.end_column)),
          severity: decision.error ? 'error' : 'warning',
          message: decision.remedy ? `${decision.text} (${decision.remedy})` : decision.text,
        };
      });
      view.dispatch(cm.setDiagnostics(view.state, diagnostics));
    },
    mark(lines) {
      const places = [...new Set(lines)].filter((line) => line <= view.state.doc.lines).sort((a, b) => a - b);
      const mark = cm.Decoration.line({ class: 'differs', attributes: { title: words.differs } });
      const marks = places.map((line) => mark.range(view.state.doc.line(line).from));
      const effects = [setMarks.of(RangeSet.of(marks))];
      if (places.length) effects.push(EditorView.scrollIntoView(offsetAt(places[0], 1), { y: 'center' }));
      view.dispatch({ effects });
    },
    silent(lines) {
      const mark = new Silent();
      mark.words = words.silent;
      const marks = [...new Set(lines)]
        .filter((line) => line <= view.state.doc.lines)
        .sort((a, b) => a - b)
        .map((line) => mark.range(view.state.doc.line(line).from));
      view.dispatch({ effects: setSilent.of(RangeSet.of(marks)) });
    },
    go(line, column = 1) {
      const anchor = offsetAt(line, column);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
