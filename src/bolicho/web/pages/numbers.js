// Numbers in the reader's language.

import {language} from "/a/settings.js";
import {TAGS} from "/a/i18n.js";

export const number = (value, digits = 0) => new Intl.NumberFormat(
  TAGS[language()],
  {minimumFractionDigits: digits, maximumFractionDigits: digits},
).format(value);

export const moment = (seconds) => new Intl.DateTimeFormat(
  TAGS[language()],
  {dateStyle: "medium", timeStyle: "short"},
).format(1000 * seconds);

// Estimate with its interval in small type.
export const percent = ({value}) => (value === null ? "–" : `${number(100 * value, 1)}%`);
export const between = ({low, high}, write) => (low === null || high === null ? "" : `${write(low)}–${write(high)}`);
