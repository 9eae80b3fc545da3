/** Every method of the service Wallet; the compiler sees to it that none is missing. */

import type { Handlers } from "../method.js";
import { accounts } from "./accounts.js";
import { blocks } from "./blocks.js";
import { builders } from "./builders.js";
import { contracts } from "./contracts.js";
import { markets } from "./markets.js";
import { network } from "./network.js";
import { shielded } from "./shielded.js";
import { transactions } from "./transactions.js";

export const wallet: Handlers<"Wallet"> = {
	...accounts,
	...blocks,
	...transactions,
	...builders,
	...markets,
	...network,
	...contracts,
	...shielded,
};
