// Numbers as text.
export const signedInteger = (number) => (number > 0 ? `+${number}` : String(number));

export const signedPoints = (number) => (number == null ? '' : `${number > 0 ? '+' : ''}${number.toFixed(2)}`);

export const percent = (share) => (share == null ? '' : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`);

export const fixedPercent = (value) => `${(100 * value).toFixed(1)} %`;

// Digits of a number as Python and the command line print them: exact halves are rounded to the even digit.
export function fixedText(number, digits) {
  const exact = Math.abs(number).toFixed(60);
  const cut = exact.indexOf('.') + 1 + digits;
  const isHalf = /^50*$/.test(exact.slice(cut)) && Number(exact[cut - 1]) % 2 === 0;
  return isHalf ? (number < 0 ? '-' : '') + exact.slice(0, cut) : number.toFixed(digits);
}

// A number with its sign and two digits as the command line prints them.
export const signedFixed = (number) => `${number > 0 ? '+' : ''}${fixedText(number, 2)}`;
