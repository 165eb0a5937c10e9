// Numbers as text.
export const signedInteger = (number) => (number > 0 ? `+${number}` : String(number));

export const signedPoints = (number) => (number == null ? '' : `${number > 0 ? '+' : ''}${number.toFixed(2)}`);

export const percent = (share) => (share == null ? '' : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`);

export const fixedPercent = (value) => `${(100 * value).toFixed(1)} %`;
