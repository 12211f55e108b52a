// Requests to the server, and its refusals.

import {html} from "/a/draw.js";
import {say, word} from "/a/settings.js";

export class Refused extends Error {
  constructor(said, status, body) {
    super(said ? say(said) : word("page.no_answer"));
    this.status = status;
    this.body = body;
    this.after = body?.after;
  }
}

/**
 * Return the response as data, or with `raw` as text, since JavaScript numbers cannot hold a seed of 64 bits.
 * @param {string} path
 * @param {{token?: string, body?: any, signal?: AbortSignal, method?: string, raw?: boolean}} [options]
 */
export async function ask(path, {token, body, signal, method, raw} = {}) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(
      path,
      {
        method: method ?? (body ? "POST" : "GET"),
        headers,
        body: body && JSON.stringify(body),
        signal,
        cache: "no-store",
      },
    );
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Refused(null, 0);
  }
  if (raw && answer.ok) return answer.blob();
  const told = await answer.json().catch(() => null);
  if (!answer.ok) throw new Refused(told?.says, answer.status, told);
  return told;
}

// Agents that play a game by these rules.
export const agentsFor = (game, rules = {}) =>
  ask(`/api/agents?game=${encodeURIComponent(game)}&rules=${encodeURIComponent(JSON.stringify(rules))}`);

// Download a file; the token goes in a header, never in a link.
export async function download(path, {token, name}) {
  const address = URL.createObjectURL(await ask(path, {token, raw: true}));
  html("a", {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
