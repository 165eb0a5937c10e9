// Age of a file.
export const secondsSince = (written) => Math.max(0, Math.round(Date.now() / 1000 - written));
