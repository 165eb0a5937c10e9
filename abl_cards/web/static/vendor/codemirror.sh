#!/bin/sh
# The editor of the rules lab as one module: CodeMirror 6, as npm has it, put together by esbuild. Run here, with npm;
# SHA256SUMS says what must come out.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(pwd)
cd "$work"
echo '{"name":"editor","private":true,"version":"1.0.0"}' > package.json
npm install --silent --no-audit --no-fund --save-exact esbuild@0.28.2 @codemirror/state@6.7.6 @codemirror/view@6.43.15 \
  @codemirror/language@6.13.1 @codemirror/commands@6.11.1 @codemirror/autocomplete@6.20.4 @codemirror/lint@6.9.8 \
  @codemirror/search@6.7.2 @lezer/highlight@1.2.5 @lezer/common@1.5.5 @lezer/lr@1.4.12 @marijn/find-cluster-break@1.0.4 \
  style-mod@4.1.4 w3c-keyname@2.2.8 crelt@1.0.7
cat > editor.js <<'END'
export { EditorState, Compartment, RangeSet, StateEffect, StateField } from "@codemirror/state";
export { EditorView, GutterMarker, Decoration, drawSelection, gutter, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
export { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export { autocompletion, closeBrackets, completionKeymap, snippet } from "@codemirror/autocomplete";
export { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
export { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
export { tags } from "@lezer/highlight";
END
npx --no-install esbuild editor.js --bundle --format=esm --minify --legal-comments=none --target=es2022 --outfile="$here/codemirror.mjs" --log-level=error
for each in codemirror/view lezer/highlight; do
  echo "@$each and the packages beside it:"; cat "node_modules/@$each/LICENSE"; echo
done > "$here/codemirror.LICENSE.txt"
cd "$here"
sha256sum -c SHA256SUMS
