// Games, views, agents and replays of Bolicho, with no server: the entry point of the package.

import {Module, DoorError} from "./module.js";
import {Player} from "./player.js";
import {NOBODY, Rules, Table} from "./table.js";
import {Reading} from "./view.js";

export {DoorError, Module, NOBODY, Player, Reading, Rules, Table};
