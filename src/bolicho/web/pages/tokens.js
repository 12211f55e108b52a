// The seats this browser holds: a token opens one seat of one match, and stays here.

import {keep, recall} from "/a/settings.js";

const MOST = 30; // matches remembered

export function myMatch(id) {
  return {seats: {}, invites: [], ...recall(`match.${id}`, {})};
}

export function remember(id, {game, seat, token, invite, expires}) {
  const mine = myMatch(id);
  if (token) mine.seats[seat] = token;
  if (invite) mine.invites.push({seat, invite, expires});
  if (!token && !invite) return;
  keep(`match.${id}`, {...mine, game});
  const list = [id, ...recall("matches", []).filter((one) => one !== id)];
  list.slice(MOST).forEach((old) => keep(`match.${old}`, null));
  keep("matches", list.slice(0, MOST));
}

export function forget(id) {
  keep(`match.${id}`, null);
  keep("matches", recall("matches", []).filter((one) => one !== id));
}

export const myMatches = () => recall("matches", []).map((id) => ({id, ...myMatch(id), game: recall(`match.${id}`)?.game}));
