// Sitting down by invitation, and waiting for invited players.

import {ask} from "/a/api.js";
import {html} from "/a/draw.js";
import {rulesSaid} from "/a/games.js";
import {replayPage, tablePage} from "/a/places.js";
import {keep, settings, word} from "/a/settings.js";
import {canonical, freshNonce, nonceCommit} from "/a/sha256.js";
import {titleOf, toast} from "/a/stage.js";
import {keepShown, myMatch, remember} from "/a/tokens.js";

export const NAME_LENGTH = 24;

// Player's name, remembered.
export function nameField() {
  const input = html(
    "input",
    {
      name: "name",
      maxlength: NAME_LENGTH,
      autocomplete: "nickname",
      value: settings.name,
      placeholder: word("page.guest"),
    },
  );
  input.addEventListener("change", () => {
    settings.name = input.value.trim();
    keep("settings", settings);
  });
  return html("label", {class: "row"}, html("span", {}, word("page.your_name")), input);
}

export const myName = () => settings.name || word("page.guest");

// Create a match and open its page, which reveals the nonce once all seats are taken.
export async function openMatch(game, rules, seats, options, fragment = "") {
  const nonces = seats.map(({who}) => (who === "me" ? freshNonce() : null));
  const asked = seats.map((seat, at) => (nonces[at] ? {...seat, nonce_commit: nonceCommit(nonces[at])} : seat));
  const {match, commit, seats: told} = await ask("/api/matches", {body: {game, rules, seats: asked, options}});
  for (const one of told) remember(match, {...one, nonce: nonces[one.seat], game, commit});
  location.href = seats.every(({who}) => who === "agent") ? `${replayPage(match)}#run` : `${tablePage(match)}${fragment}`;
}

// Take the seat of an invitation, with a commitment to a nonce of this browser.
export async function sitDown(match, {game, commit}, invite, name) {
  const nonce = freshNonce();
  const body = {invite, name, nonce_commit: nonceCommit(nonce), agree: true};
  const {seat, token} = await ask(`/api/matches/${match}/sit`, {body});
  remember(match, {game, seat, token, nonce, commit});
  return {seat, token};
}

// Reveal the nonces of this browser once all seats are taken.  First keep the commitments shown, and compare them with
// those kept before: a nonce is revealed for a single set of commitments, names and rules.
export async function revealNonces({id, reveal}) {
  if (!reveal || isLate(reveal)) return;
  const {missing, by, ...shown} = reveal;
  const {seats, nonces, commit, shown: kept} = myMatch(id);
  for (const seat of missing.filter((one) => one in nonces)) {
    const isSame = commit === shown.commit && (!kept || canonical(kept) === canonical(shown));
    if (!isSame || shown.nonce_commits[seat] !== nonceCommit(nonces[seat])) throw new Error(word("page.reveal.refused"));
    keepShown(id, shown);
    await ask(`/api/matches/${id}/reveal`, {token: seats[seat], body: {nonce: nonces[seat]}});
  }
}

const isLate = ({by}) => by < Date.now() / 1000;

export function joinPanel(notice, match, invite, sit) {
  const {options = {}, game} = match.info;
  if (match.info.invited === null || match.info.invited === undefined) return notice(usedPanel(match));
  const rules = [
    ...rulesSaid(game, match.info.rules),
    options.series && word("page.agree.series", {target: options.series}),
    word(options.open_end ? "page.agree.open_end" : "page.agree.closed"),
    options.clock && word(
      "page.agree.clock",
      {minutes: Math.round(options.clock.seconds / 60), plus: options.clock.plus},
    ),
    options.why === false && word("page.agree.no_why"),
    word(options.hint === false ? "page.agree.no_hint" : "page.agree.hint"),
  ].filter(Boolean);
  const form = html(
    "form",
    {class: "join"},
    html("h2", {}, word("page.join")),
    html("p", {}, word("page.join.invited")),
    nameField(),
    html("p", {}, word("page.join.terms", {game: titleOf(game)})),
    html("ul", {class: "agreed"}, rules.map((rule) => html("li", {}, rule))),
    html("button", {class: "button main", id: "sit"}, word("page.sit")),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("#sit");
    button.disabled = true;
    const name = form.elements.name.value.trim() || word("page.guest");
    settings.name = form.elements.name.value.trim();
    keep("settings", settings);
    try {
      const {seat, token} = await sitDown(match.id, match.info, invite, name);
      sit(seat, token);
    } catch (problem) {
      button.disabled = false;
      toast(problem.message);
    }
  });
  notice(form);
}

const usedPanel = ({id}) => html(
  "div",
  {class: "finish"},
  html("h2", {}, word("page.join.used")),
  html("p", {}, word("page.join.ask")),
  html(
    "p",
    {class: "choices"},
    html("a", {class: "button main", href: `/m/${id}#watch`, on: {click: () => setTimeout(() => location.reload())}}, word("page.join.watch")),
    html("a", {class: "button", href: "/"}, word("page.back_home")),
  ),
);

const CALLED_OFF = {
  declined: "page.waiting.declined",
  expired: "page.waiting.expired",
  cancelled: "page.waiting.cancelled",
};

function stateOf(challenge) {
  const isLate = challenge?.state === "open" && challenge.expires < Date.now() / 1000;
  return isLate ? "expired" : challenge?.state;
}

// Awaited players may not come: a bot declines, or the challenge expires.
export function waitingPanel(match, wayOut) {
  const {invites} = myMatch(match.id);
  const state = stateOf(match.challenge);
  if (state in CALLED_OFF) {
    const who = match.challenge.seats.map((seat) => match.players[seat].name).join(", ");
    return html("div", {class: "waiting"}, html("h2", {}, word(CALLED_OFF[state], {who})), html("p", {}, wayOut()));
  }
  if (match.reveal) {
    const who = {several: match.reveal.missing.map((seat) => match.players[seat].name), with: "and"};
    const isOff = isLate(match.reveal);
    const said = html("h2", {}, word(isOff ? "page.reveal.void" : "page.reveal", {who}));
    return html("div", {class: "waiting"}, said, isOff ? html("p", {}, wayOut()) : null);
  }
  return html(
    "div",
    {class: "waiting"},
    html("h2", {}, word("page.waiting")),
    ...(invites.length ? [html("p", {}, word("page.waiting.share"))] : []),
    ...invites.filter(({seat}) => !match.players[seat]?.taken).map(inviteLink(match.id)),
  );
}

const inviteLink = (id) => ({seat, invite, expires}) => {
  const input = html(
    "input",
    {
      readonly: true,
      value: `${location.origin}/m/${id}#invite=${invite}`,
      "aria-label": word("page.invite.seat", {number: seat + 1}),
      on: {focus: (event) => event.target.select()},
    },
  );
  const hours = (expires - Date.now() / 1000) / 3600;
  const lasts = hours < 0 ? word("page.invite.expired") : hours < 2 ? word(
    "page.invite.minutes",
    {minutes: Math.ceil(hours * 60)},
  ) : word("page.invite.hours", {hours: Math.floor(hours)});
  return html(
    "div",
    {class: "invite"},
    input,
    html(
      "button",
      {class: "button", type: "button", on: {click: (event) => copy(input, event.target)}},
      word("page.copy"),
    ),
    html("p", {class: "fine"}, lasts),
  );
};

export async function copy(input, button) {
  input.select();
  await copyText(input.value);
  button.textContent = word("page.copied");
}

// The clipboard API needs https; otherwise the selection is copied by a command.
export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = html("textarea", {class: "hush", "aria-hidden": "true"}, text);
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}
