// The reading of games that declare their fields and texts, and nothing else.

export const textOf = (view, number) => view.description.actions[number];

export const nameOf = (text) => ["terminal.plain", {text}];

export function entry({description}, [kind, seat, value, extra]) {
  if (kind === 0) return {event: "chose", seat, action: description.actions[value]};
  return {event: `${description.game} ${kind}`, seat, value, extra};
}

export const said = (told) => ["terminal.does", {who: {seat: told.seat}, what: told.action || told.event}];

export const table = (view) => view.reader.all(view.record);
