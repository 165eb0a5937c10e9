// Title of the page: the section, with a mark in front while it is the player's turn.
const parts = { section: '', mark: '' };

export function setTitle(changes) {
  Object.assign(parts, changes);
  document.title = [parts.mark, 'abl-cards', parts.section].filter(Boolean).join(' · ');
}
