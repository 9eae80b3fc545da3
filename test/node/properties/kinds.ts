/** Every kind of system transaction, with how to throw a random one that mostly makes sense. */

import type { StateView } from "../../../src/node/state/view.js";
import type { Message } from "../../../src/protocol/codec/descriptor.js";
import { accountKinds } from "./account-kinds.js";
import type { Dice } from "./dice.js";
import { governanceKinds } from "./governance-kinds.js";
import { stakingKinds } from "./staking-kinds.js";
import { tokenKinds } from "./token-kinds.js";
import { tradeKinds } from "./trade-kinds.js";

export interface TransactionKind {
	/** Name in the contract-type table. */
	readonly type: string;
	/** How often it is thrown, beside the others; 2 where absent. */
	readonly weight?: number;
	/** Accounts for which it makes sense; absent: any. */
	readonly owners?: (state: StateView) => readonly Uint8Array[];
	readonly build: (state: StateView, owner: Uint8Array, dice: Dice) => Message;
}

export const transactionKinds: readonly TransactionKind[] = [
	...accountKinds,
	...stakingKinds,
	...governanceKinds,
	...tokenKinds,
	...tradeKinds,
];
