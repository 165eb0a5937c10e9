// Age of a file.
export const secondsSince = (timestamp) => Math.max(0, Math.round(Date.now() / 1000 - timestamp));
