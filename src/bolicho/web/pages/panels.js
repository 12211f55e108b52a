// Side panels of a match: legal actions, hints, explanations, and the check of the deal.

import {agentsFor, ask, download} from "/a/api.js";
import {html} from "/a/draw.js";
import {calledName} from "/a/opponents.js";
import {drawReason} from "/a/pictures.js";
import {analysisPage} from "/a/places.js";
import {closeButton, recall, keep, word} from "/a/settings.js";
import {canonical, commitmentOf, dealSeed, nonceCommit} from "/a/sha256.js";
import {myMatch} from "/a/tokens.js";

const FEW = 3; // lines of an explanation before "more"
const LATEST = 12; // decisions offered for an explanation

function panel(name, title) {
  const dialog = html("dialog", {id: `${name}-panel`, "aria-labelledby": `${name}-title`});
  document.body.append(dialog);
  return (...content) => {
    dialog.replaceChildren(closeButton(dialog), html("h2", {id: `${name}-title`}, word(title)), ...content);
    if (!dialog.open) dialog.showModal();
    return dialog;
  };
}

// --- Legal actions -------------------------------------------------------------------------------

export function momentPanel(match, stage) {
  const show = panel("moment", "page.moment");
  return async () => {
    const remarks = await ask(`/api/matches/${match.id}/action-help`, {token: match.token});
    const names = new Map(stage.shown.legal.map(({action, says}) => [action, says ? stage.say(says) : action]));
    const general = remarks.filter(({about}) => !about).map(({says}) => html("p", {}, sentence(stage.say(says))));
    const actions = remarks.filter(({about}) => about).map(({about, says}) => html(
      "div",
      {},
      html("dt", {}, names.get(about) ?? about),
      html("dd", {}, stage.say(says)),
    ));
    const listed = [...names.values()].map((name) => html("li", {}, name)); // for a game that describes no actions
    const can = actions.length ? html("dl", {class: "moment"}, actions) : listed.length ? html("ul", {class: "lines"}, listed) : null;
    show(...general, can ?? html("p", {}, word("page.moment.wait")));
  };
}

const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) : text);

// --- Hints ---------------------------------------------------------------------------------------

export function hintPanel(match, stage) {
  const show = panel("hint", "page.hint");
  return async () => {
    const {agents} = await agentsFor(match.info.game, match.info.rules);
    const known = agents.filter(({bot}) => !bot).map(({name}) => name);
    const last = recall("adviser", "");
    const chosen = known.includes(last) ? last : known.includes("balanced") ? "balanced" : known[0];
    const answer = html("div", {class: "answer", "aria-live": "polite"});
    const select = html(
      "select",
      {name: "adviser"},
      known.map((name) => html("option", {value: name, selected: name === chosen}, calledName(name))),
    );
    let asked = 0; // an adviser may answer after the next one was asked
    const consult = async () => {
      const question = ++asked;
      keep("adviser", select.value);
      unmark();
      answer.replaceChildren(html("p", {class: "fine"}, word("page.thinking")));
      try {
        const told = await ask(`/api/matches/${match.id}/hint`, {token: match.token, body: {agent: select.value}});
        if (question !== asked) return;
        answer.replaceChildren(...reason(stage, told, word("page.hint.would", {agent: calledName(select.value)})));
        document.querySelector(`#root [data-action=${JSON.stringify(told.action)}]`)?.classList.add("hinted");
      } catch (problem) {
        answer.replaceChildren(html("p", {class: "sorry"}, problem.message));
      }
    };
    select.addEventListener("change", consult);
    show(html("label", {class: "row"}, html("span", {}, word("page.hint.whom")), select), answer);
    if (stage.shown?.turn === match.seat) await consult();
    else answer.replaceChildren(html("p", {}, word("page.moment.wait")));
  };
}

// A hint marks one action: an earlier adviser's mark goes.
const unmark = () => document.querySelectorAll("#root .hinted").forEach((one) => one.classList.remove("hinted"));

// Name of an action, its explanation and its picture.
export function reason(stage, told, heading) {
  const says = (said) => (said ? stage.say(said) : null);
  return [
    html("p", {class: "decided"}, `${heading} `, html("strong", {}, says(told.says) ?? told.action)),
    told.why ? html("p", {}, sentence(says(told.why))) : null,
    told.picture ? drawReason(told.picture, stage) : null,
    told.lines?.length ? details(told.lines.map(says)) : null,
  ].filter(Boolean);
}

function details(lines) {
  const list = html("ul", {class: "lines"}, lines.map((line) => html("li", {}, line)));
  return lines.length > FEW ? html("details", {}, html("summary", {}, word("page.why.details")), list) : list;
}

// --- Explanations --------------------------------------------------------------------------------

export function whyPanel(match, stage) {
  const show = panel("why", "page.why");
  return async () => {
    const decisions = agentDecisions(match, stage).slice(-LATEST).reverse();
    if (!decisions.length) return show(html("p", {}, word("page.why.nothing")));
    const answer = html("div", {class: "answer", "aria-live": "polite"});
    const list = html(
      "ol",
      {class: "decisions"},
      decisions.map(({ply, text}) => html(
        "li",
        {},
        html("button", {type: "button", on: {click: (event) => explain(ply, event.target)}}, text),
      )),
    );
    const explain = async (ply, button) => {
      list.querySelectorAll("[aria-pressed]").forEach((one) => one.removeAttribute("aria-pressed"));
      button.setAttribute("aria-pressed", "true");
      answer.replaceChildren(html("p", {class: "fine"}, word("page.thinking")));
      answer.replaceChildren(...(await whyOf(match, stage, ply)));
      answer.scrollIntoView({block: "nearest"});
    };
    show(html("p", {class: "fine"}, word("page.why.when")), list, answer);
  };
}

export async function whyOf(match, stage, ply) {
  try {
    const told = await ask(`${pathOf(match)}/why?ply=${ply}`, {token: match.reader ?? match.token});
    return reason(stage, told, `${stage.names[told.seat] ?? told.agent}:`);
  } catch (problem) {
    return [html("p", {class: "sorry"}, problem.message)];
  }
}

function agentDecisions(match, stage) {
  const chosen = stage.log.filter((entry) => entry?.event === "chose");
  return chosen.map(
    (entry, ply) => ({ply, seat: entry.seat, text: stage.sentence(entry)}),
  ).filter(({seat}) => match.players[seat]?.agent);
}

// --- Check of the deal -----------------------------------------------------------------------------

export function fairPanel(match, stage) {
  const show = panel("fair", "page.fair");
  return async () => {
    const fair = await ask(`/api/matches/${match.id}/fair`);
    const lines = [
      html("p", {}, word("page.fair.how")),
      html(
        "dl",
        {class: "hashes"},
        ...row("page.fair.commit", fair.commit),
        ...fair.players.flatMap((_, seat) => [
          ...(fair.nonce_commits[seat] ? row("page.fair.seal", fair.nonce_commits[seat], {who: {seat}}) : []),
          ...(fair.nonces[seat] ? row("page.fair.nonce", fair.nonces[seat], {who: {seat}}) : []),
        ]),
      ),
      ...fair.players.flatMap((_, seat) =>
        fair.agents[seat] || fair.nonces[seat] || fair.nonce_commits[seat]
          ? []
          : [html("p", {class: "fine bare"}, stage.word("page.fair.bare", {who: {seat}}))],
      ),
      ...(fair.version === 1 ? [html("p", {class: "fine"}, word("page.fair.old"))] : []),
    ];
    if (!fair.secret) lines.push(html(
      "p",
      {class: "fine"},
      word(match.info.options?.open_end === false ? "page.fair.closed" : "page.fair.later"),
    ));
    else lines.push(...check(fair));
    show(...lines);

    function row(key, value, facts = {}) {
      return [html("dt", {}, stage.word(key, facts)), html("dd", {}, html("code", {}, value))];
    }

    function verdict(name, isGood) {
      const said = isGood ? "good" : "bad";
      return html("p", {class: said, id: `fair-${name}`}, word(`page.fair.${name}_${said}`));
    }

    function check({secret, commit, nonces, nonce_commits: commits, seed}) {
      const isNonces = nonces.every((nonce, seat) => (nonce ? nonceCommit(nonce) : null) === commits[seat]);
      const mine = myMatch(match.id);
      const isKept = Object.entries(mine.shown ?? {}).every(([name, value]) => canonical(value) === canonical(fair[name]));
      const isMine = Object.entries(mine.nonces).every(([seat, nonce]) => nonces[seat] === nonce);
      return [
        html("dl", {class: "hashes"}, ...row("page.fair.secret", secret), ...row("page.fair.seed", seed)),
        verdict("hash", commitmentOf(fair) === commit),
        fair.version === 1 ? null : verdict("nonces", isNonces),
        mine.commit ? verdict("same", mine.commit === commit && isKept && isMine) : null,
        verdict("seed", dealSeed(fair) === seed),
        html("p", {class: "fine"}, word("page.fair.verify")),
        html(
          "p",
          {},
          html(
            "button",
            {class: "button", type: "button", on: {click: () => downloadRecord(match, "whole")}},
            word("page.download.whole"),
          ),
        ),
      ].filter(Boolean);
    }
  };
}


// Download of a record, of a seat or whole.
export const downloadRecord = (match, which) => download(
  `${pathOf(match)}/record?as=${which}`,
  {token: match.reader ?? match.token, name: `${match.info.game}-${match.id.replaceAll(":", "-")}-${which}.json`},
);

// Whether the player may open the analysis after the end.
export const isAnalysed = ({info, seat, token}) => analysisPage !== null && info.judged && seat !== null && token !== null;

// Whether a server dealt the cards; without one there are no proofs, resignations and rematches.
export const isServed = ({info}) => info.options?.fair !== false;

// Path of requests about a match; a game of a run has a path of its own.
const pathOf = ({path, id}) => path ?? `/api/matches/${id}`;
