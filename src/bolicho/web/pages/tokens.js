// Seats of this browser: each token opens one seat of one match, and is stored only here.

import {keep, recall} from "/a/settings.js";

const MOST = 30; // matches remembered

export function myMatch(id) {
  return {seats: {}, nonces: {}, invites: [], commit: null, shown: null, ...recall(`match.${id}`, {})};
}

// Store the facts shown before a nonce of this browser was revealed.
export function keepShown(id, shown) {
  keep(`match.${id}`, {...myMatch(id), shown});
}

/**
 * Store a seat.  The server's commitment is kept as first shown, and nonces as drawn, for the check of the deal.
 * `study`: the study to return to after the match.
 * @param {string} id
 * @param {Record<string, any>} held
 */
export function remember(id, {game, seat, token, nonce, commit, invite, expires, study}) {
  const mine = myMatch(id);
  if (token) mine.seats[seat] = token;
  if (nonce) mine.nonces[seat] = nonce;
  if (invite) mine.invites.push({seat, invite, expires});
  if (!token && !invite) return;
  keep(`match.${id}`, {...mine, game, commit: mine.commit ?? commit, study: study ?? mine.study});
  const list = [id, ...recall("matches", []).filter((one) => one !== id)];
  list.slice(MOST).forEach((old) => keep(`match.${old}`, null));
  keep("matches", list.slice(0, MOST));
}

export function forget(id) {
  keep(`match.${id}`, null);
  keep("matches", recall("matches", []).filter((one) => one !== id));
}

export const myMatches = () => recall("matches", []).map((id) => ({id, ...myMatch(id)}));
