#!/bin/sh
# The libraries in this folder, as npm has them: run here, with npm. Imports between them become relative, since the page
# has no import map (its policy allows no inline script); nothing else is changed. SHA256SUMS says what must come out.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(pwd)
cd "$work"
npm pack --silent preact@11.2.0 htm@3.1.1 >/dev/null
for each in preact htm; do mkdir "$each" && tar xzf "$each"-*.tgz -C "$each" --strip-components 1; done
cp preact/dist/preact.mjs preact/hooks/dist/hooks.mjs "$here"
cp htm/dist/htm.mjs "$here/htm.mjs"
cp preact/LICENSE "$here/preact.LICENSE.txt"
cp htm/LICENSE "$here/htm.LICENSE.txt"
cd "$here"
sed -i -e 's/from"preact"/from".\/preact.mjs"/g' -e '/^\/\/# sourceMappingURL/d' preact.mjs hooks.mjs htm.mjs
sha256sum -c SHA256SUMS
