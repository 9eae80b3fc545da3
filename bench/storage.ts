/**
 * Rate of contract calls by the number of storage slots: token transfers between random holders of one
 * contract, all signatures checked, on disk. The data set of each size is created once and cached.
 *
 * npm run tool bench:storage -- [counts…]
 */

import { stores } from "../src/node/state/definition.js";
import { concatBytes } from "../src/protocol/bytes.js";
import { benchLargeState, type LargeState } from "./large-state/large-state.js";
import { plainAccount, produceNext, signedBy } from "./large-state/network.js";
import { FEE_LIMIT_SUN, holderRows, tokenCall, tokenCreation } from "./large-state/token.js";

const prefix = Uint8Array.of(stores.account.index);

const state: LargeState = {
	name: "slots",
	prepare(open, [owner]) {
		if (owner) open.chain.pushTransaction(tokenCreation(open, owner));
		produceNext(open);
	},
	*entries(open, count, senders) {
		for (const { address } of senders) yield [concatBytes(prefix, address), plainAccount(address)];
		yield* holderRows(open, count, senders);
	},
	transaction(open, sender, count, senders, pick) {
		const call = tokenCall(open, sender, senders, pick(count));
		return signedBy(sender, open, "TriggerSmartContract", call, { feeLimitSun: FEE_LIMIT_SUN });
	},
};

await benchLargeState(state, process.argv.slice(2));
