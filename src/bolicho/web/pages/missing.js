// Page for an address that does not exist.

import {begin} from "/a/settings.js";

await begin();
