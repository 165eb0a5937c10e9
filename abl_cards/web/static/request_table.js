// Request for a new table, with the name and the time to think of this browser.
import { request } from './link.js';
import { settings } from './settings.js';

export function requestTable(options) {
  const { name, think } = settings();
  return request('/api/tables', { name, think, ...options });
}
