// Class TextHistory: versions of all files of a laboratory, for undo and redo across files.
const MAX_VERSIONS = 100;
const MAX_LETTERS = 4_000_000;

const size = ({ files }) => Object.values(files).reduce((sum, text) => sum + text.length, 0);

export class TextHistory {
  constructor() {
    this.versions = [];
    this.place = -1;
  }

  get current() {
    return this.versions[this.place] ?? null;
  }

  get canUndo() {
    return this.place > 0;
  }

  get canRedo() {
    return this.place < this.versions.length - 1;
  }

  // Add a version; a version that equals the current one is left out, and those that were undone are dropped.
  add(version) {
    if (this.current?.version === version.version) return;
    this.versions = [...this.versions.slice(0, this.place + 1), version];
    while (
      this.versions.length > MAX_VERSIONS ||
      (this.versions.length > 2 && this.versions.reduce((sum, item) => sum + size(item), 0) > MAX_LETTERS)
    )
      this.versions.shift();
    this.place = this.versions.length - 1;
  }

  // Go back or forth, and return the version there.
  step(by) {
    this.place = Math.min(this.versions.length - 1, Math.max(0, this.place + by));
    return this.current;
  }
}

// Name of a file in which two versions differ, for the text of the buttons.
export function changedFile(first, second) {
  const names = new Set([...Object.keys(first.files), ...Object.keys(second.files)]);
  const changed = [...names].filter((name) => first.files[name] !== second.files[name]);
  return changed.find((name) => name !== 'variant.lp') ?? changed[0] ?? '';
}
