/**
 * The methods of shielded transactions, by their names in the schema: the one door for the HTTP servers and gRPC. Loaded with the
 * first request. Requests carry secret keys: nothing of them is logged or kept.
 */

import { keyMethods } from "./keys.js";
import { poolNoteMethods } from "./pool.js";
import { tokenBuildingMethods } from "./token-building.js";
import { tokenNoteMethods } from "./token-notes.js";
import { voucherMethods } from "./vouchers.js";

export const shieldedMethods = {
	...keyMethods,
	...poolNoteMethods,
	...voucherMethods,
	...tokenNoteMethods,
	...tokenBuildingMethods,
};

export {
	createShieldedTransaction,
	createShieldedTransactionWithoutSpendAuthSig,
} from "./pool.js";
