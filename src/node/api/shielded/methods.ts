/**
 * The shielded transaction methods by schema name, shared by the HTTP and gRPC servers. Loaded on the first
 * request. Requests carry secret keys: nothing in them is logged or stored.
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
