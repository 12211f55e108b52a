// The source of views on a site without a server, in the place of the connection: a table in this browser.

import {movesOf, personOf, playOn, viewMessage} from "/a/tables.js";

export class Live {
  constructor(match, token, {hear, state, seen}) {
    this.match = match;
    this.hear = hear;
    this.seen = seen;
    this.state = state;
    this.closed = false;
    this.open();
  }

  async open() {
    this.state("open");
    await this.tell();
    await this.answer();
  }

  async tell() {
    if (!this.closed) this.hear(await viewMessage(this.match, await personOf(this.match), {log: this.seen().log}));
  }

  // Agents play until a person is to act; every position is shown.
  async answer() {
    try {
      await playOn(this.match, () => this.tell());
    } catch (problem) {
      this.hear({is: "refused", says: problem.says ?? ["page.site.failed", {problem: problem.message}]});
    }
  }

  async move(ply, action) {
    await movesOf(this.match, ply, action);
    await this.tell();
    await this.answer();
  }

  lose() {}

  close() {
    this.closed = true;
  }
}
