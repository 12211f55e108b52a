// The reading of Truco, as bolicho/games/truco/state.py and text.py have it.

import {NOBODY} from "../table.js";

const SEATS = 2;
const ROUNDS = 3;
const NONE = -1;
const [CHOSE, DEALT, ROUND, POINTS, FLOR_SAID, ENVIDO_SHOWN, FLOR_SHOWN] = [0, 1, 2, 3, 4, 5, 6];
const UNSEEN = "virada";

const isCall = (text) => !/^(virada|\d)/.test(text);

const FIGURES = {10: "sota", 11: "cavalo", 12: "rei"};

function cardName(card) {
  const number = Number(card.slice(0, -1));
  const rank = number in FIGURES ? [`truco.figure.${FIGURES[number]}`, {}] : number;
  return ["truco.card", {number: rank, suit: [`truco.suit.${card.at(-1)}`, {}]}];
}

export const textOf = (view, number) => view.description.actions[number];

export function nameOf(text) {
  if (isCall(text)) return [`truco.action.${text}`, {}];
  return text.startsWith(UNSEEN) ? ["truco.virada", {card: cardName(text.slice(UNSEEN.length + 1))}] : cardName(text);
}

const namePlayed = (text) => (text === UNSEEN ? ["truco.virada.unseen", {}] : nameOf(text));

export function entry({description, reader}, [kind, seat, value, extra]) {
  switch (kind) {
    case DEALT: return {event: "dealt", mao: seat, hand: value};
    case ROUND: return {event: "round", winner: seat >= 0 ? seat : null, round: value + 1};
    case POINTS: return {event: "points", seat, points: value, for: reader.of("reason").get(extra)};
    case FLOR_SAID: return {event: "flor", seat};
    case ENVIDO_SHOWN: return {event: "shown", seat, envido: value};
    case FLOR_SHOWN: return {event: "shown", seat, flor: value};
    default: return {
      event: "chose", seat, action: reader.of("card").get(value) ?? description.actions[value], round: extra + 1,
    };
  }
}

export function said(told) {
  const who = {seat: told.seat};
  switch (told.event) {
    case "dealt": return ["truco.dealt", {hand: told.hand + 1, who: {seat: told.mao}}];
    case "round": return told.winner === null
      ? ["truco.round.tied", {round: told.round}]
      : ["truco.round.won", {round: told.round, who: {seat: told.winner}}];
    case "points": return [`truco.points.${told.for}`, {who, points: told.points}];
    case "flor": return ["truco.flor", {who}];
    case "shown": {
      const what = "envido" in told ? "envido" : "flor";
      return [`truco.shown.${what}`, {who, points: told[what]}];
    }
    default: return [`truco.chose.${isCall(told.action) ? "call" : "card"}`, {who, action: namePlayed(told.action)}];
  }
}

export function table(view) {
  const {seat, rows} = view;
  const s = view.fields();
  const deals = rows.flatMap(([kind], i) => (kind === DEALT ? [i] : []));
  const now = deals.at(-1) ?? 0;
  const played = s.played.map((cards) => cards.filter((card) => card !== null));
  const hand = s.hand_number + 1;
  let last = null;
  if (view.turn < 0) last = {...past(view, rows.slice(now)), hand, mao: s.mao, played};
  else if (deals.length > 1) last = past(view, rows.slice(deals.at(-2), now));
  const own = seat !== NOBODY;
  const cards = (row) => row.filter((card) => card !== null);
  return {
    target: s.target,
    hand,
    mao: s.mao,
    round: s.round + 1,
    worth: s.level + 1,
    raiser: s.raiser,
    pending: s.pending ? pending(view, s) : null,
    cards: own ? cards(s.hands[seat]) : [],
    dealt: own ? cards(s.dealt[seat]) : [],
    counts: played.map((row) => ROUNDS - row.length),
    played,
    winners: s.winners,
    envido: own ? envido(view, s.dealt[seat]) : null,
    calls: calls(view, rows.slice(now)),
    last,
  };
}

const numberOf = (view, text) => view.description.actions.indexOf(text);

const envido = (view, dealt) => view.whole("envido", dealt.map((card) => numberOf(view, card)), 1)[0];

function pending(view, s) {
  const [accepted, refused] = view.whole("standing_bet", [view.pool(), 1], 2);
  const {actions} = view.description;
  const told = (call, by, points) => ({call, by, accepted, refused: points});
  if (s.pending === "truco") return told(callsOf(view)[s.called - 1], s.truco_by[s.called - 1], refused);
  const [first, by] = s.pending === "envido" ? ["envido", s.envido_by] : ["contraflor", s.flor_by];
  const made = by.flatMap((one, i) => (one === null ? [] : [i]));
  if (!made.length) return told("flor", s.mao, null);
  const text = actions[numberOf(view, first) + made.at(-1)];
  return told(text, s.pending === "envido" ? s.envido_last : by[made.at(-1)], refused);
}

const callsOf = ({reader}) => [...reader.of("call").values()];

function calls(view, rows) {
  const first = numberOf(view, callsOf(view)[0]);
  return rows.flatMap(([kind, seat, value]) => {
    if (kind === CHOSE && value >= first) return [{seat, call: view.description.actions[value]}];
    return kind === FLOR_SAID ? [{seat, call: "flor"}] : [];
  });
}

function past(view, rows) {
  const first = numberOf(view, callsOf(view)[0]);
  const found = {
    hand: 1, mao: 0, played: Array.from({length: SEATS}, () => []), winners: Array(ROUNDS).fill(null),
    calls: calls(view, rows), points: [], shown: [],
  };
  for (const [kind, seat, value, extra] of rows) {
    if (kind === CHOSE && value < first) found.played[seat].push(view.reader.of("card").get(value));
    else if (kind === DEALT) Object.assign(found, {hand: value + 1, mao: seat});
    else if (kind === ROUND) found.winners[value] = seat > NONE ? seat : "tie";
    else if (kind === POINTS) found.points.push({seat, points: value, for: view.reader.of("reason").get(extra)});
    else if (kind === ENVIDO_SHOWN) found.shown.push({seat, envido: value});
    else if (kind === FLOR_SHOWN) found.shown.push({seat, flor: value});
  }
  return found;
}
