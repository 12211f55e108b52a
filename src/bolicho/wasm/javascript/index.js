// Games, views, agents and replays of Bolicho, with no server: the entry point of the package.

import {Library} from "./library.js";

export {Agent, Game, Library, Missing} from "./library.js";
export {DoorError, Module} from "./module.js";
export {Player} from "./player.js";
export {NOBODY, Rules, Table} from "./table.js";
export {Reading, View} from "./view.js";

/**
 * Open the games of this package, or of a site: `const game = await open().game("truco", {target: 12})`.
 * @param {string | URL} [root] address of the folder, which ends with "/"
 */
export const open = (root = "./") => new Library(root);
