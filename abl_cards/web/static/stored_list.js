// Lists of entries that this browser keeps, the latest first. Private windows keep none.
export const storedList = (key, isEntry, limit) => ({
  read() {
    try {
      const stored = JSON.parse(localStorage.getItem(key) ?? '[]');
      return Array.isArray(stored) ? stored.filter(isEntry).slice(0, limit) : [];
    } catch {
      return [];
    }
  },
  write(entries) {
    try {
      localStorage.setItem(key, JSON.stringify(entries.slice(0, limit)));
    } catch {
      /* no room, or a private window: the list stays as it was */
    }
  },
});
