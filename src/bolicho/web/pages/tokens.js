// The seats this browser holds: a token opens one seat of one match, and stays here.

import {keep, recall} from "/a/settings.js";

const MOST = 30; // matches remembered

export function myMatch(id) {
  return {seats: {}, nonces: {}, invites: [], commit: null, shown: null, ...recall(`match.${id}`, {})};
}

// Keep what was shown of a deal before a nonce of this browser was revealed.
export function keepShown(id, shown) {
  keep(`match.${id}`, {...myMatch(id), shown});
}

/**
 * The server's commitment is kept as it was first seen, and nonces as they were drawn: the check of a deal compares with these.
 * `study`: the match is one of a study, which leads to it.
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
