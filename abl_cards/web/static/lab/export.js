// The notebook as a document: one HTML file without requests, or Markdown.
import { html, render } from '../html.js';
import { Appendix } from './appendix.js';

export { exportMarkdown } from './export_markdown.js';

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

// The rules of all style sheets of the page, but those that would load something.
function styleText() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules
    .filter((rule) => !(rule instanceof CSSImportRule) && !(rule instanceof CSSFontFaceRule))
    .map((rule) => rule.cssText)
    .filter((text) => !/url\(/i.test(text))
    .join('\n')
    .replaceAll('</', '<\\/');
}

export function exportHtml(lab, about) {
  const holder = document.createElement('div');
  render(html`<${Appendix} lab=${lab} state=${lab.state} about=${about} />`, holder);
  const body = new XMLSerializer().serializeToString(holder);
  render(null, holder);
  const { lang, dataset } = document.documentElement;
  const facts = `data-theme="${escaped(dataset.theme ?? '')}" data-colours="${escaped(dataset.colours ?? '')}"`;
  return `<!doctype html>
<html lang="${escaped(lang)}" ${facts}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(about.title)}</title>
<style>
${styleText()}
</style>
</head>
<body>
${body}
</body>
</html>
`;
}
