// Addresses of a site without a server: the match is in the query, a record to replay in the fragment.

import {recordHere} from "/a/tables.js";

export const matchHere = () => (recordHere() ? "shared" : new URLSearchParams(location.search).get("match"));

export const gameHere = () => new URLSearchParams(location.search).get("game") ?? "";

export const homePage = "index.html";
export const tablePage = (id) => `table.html?match=${id}`;
export const replayPage = (id) => `replay.html?match=${id}`;
export const learnPage = (game) => `./learn.html?game=${encodeURIComponent(game)}`;

// Pages that need a server.
export const analysisPage = null;
export const puzzlePage = null;

// Write the parameters of the fragment to the address bar, and the record, so that the link alone replays it.
export function keepPlace(parameters) {
  const record = recordHere();
  history.replaceState(null, "", `#${new URLSearchParams(record ? {record, ...parameters} : parameters)}`);
}
