// Numbers as the reader writes them.

import {language} from "/a/settings.js";
import {TAGS} from "/a/words.js";

export const number = (value, digits = 0) => new Intl.NumberFormat(
  TAGS[language()],
  {minimumFractionDigits: digits, maximumFractionDigits: digits},
).format(value);

export const moment = (seconds) => new Intl.DateTimeFormat(
  TAGS[language()],
  {dateStyle: "medium", timeStyle: "short"},
).format(1000 * seconds);

// An estimate, and its interval small behind it.
export const percent = ({value}) => (value === null ? "–" : `${number(100 * value, 1)}%`);
export const between = ({low, high}, write) => (low === null || high === null ? "" : `${write(low)}–${write(high)}`);
