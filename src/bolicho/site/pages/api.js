// Requests on a site without a server: answered in this browser, from files of the site and tables kept here.

import {html} from "/a/draw.js";
import {say, word} from "/a/settings.js";
import {catalog, explain, facts, hint, makeMatch, opponents, recordOf, viewMessage} from "/a/tables.js";

export class Refused extends Error {
  constructor(said, status) {
    super(said ? say(said) : word("page.site.none"));
    this.status = status;
  }
}

const ROUTES = [
  [/^\/api\/games$/, async () => ({games: (await catalog()).games})],
  [/^\/api\/options\?/, async () => ({agents: {}})],
  [/^\/api\/matches$/, (_, body) => makeMatch(body)],
  [/^\/api\/matches\/([\w-]+)$/, ([id]) => facts(id)],
  [/^\/api\/matches\/([\w-]+)\/view\?(.*)$/, ([id, query]) => {
    const asked = new URLSearchParams(query);
    const number = (name) => (asked.has(name) ? Number(asked.get(name)) : undefined);
    return viewMessage(id, number("seat") ?? -1, {log: number("log") ?? 0, ply: number("ply")});
  }],
  [/^\/api\/matches\/([\w-]+)\/action-help$/, async ([id]) => (await facts(id), [])], // there are no texts
  [/^\/api\/matches\/([\w-]+)\/hint$/, ([id], {agent}) => hint(id, agent)],
  [/^\/api\/matches\/([\w-]+)\/why\?ply=(\d+)$/, ([id, ply]) => explain(id, Number(ply))],
  [/^\/api\/matches\/([\w-]+)\/record\?/, async ([id]) => new Blob([JSON.stringify(await recordOf(id), null, 1)])],
];

/**
 * Return the answer to a request, as the server's module of this name does.
 * @param {string} path
 * @param {{body?: any}} [options]
 */
export async function ask(path, {body} = {}) {
  for (const [pattern, answer] of ROUTES) {
    const found = pattern.exec(path);
    if (found) return answered(answer(found.slice(1), body));
  }
  throw new Refused(null, 404);
}

async function answered(promise) {
  try {
    return await promise;
  } catch (problem) {
    throw problem.says ? new Refused(problem.says, problem.status) : problem;
  }
}

// Agents that play a game by these rules.
export const agentsFor = (game, rules = {}) => answered(opponents(game, rules));

// Download a file.
export async function download(path, {name}) {
  const address = URL.createObjectURL(await ask(path));
  html("a", {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
