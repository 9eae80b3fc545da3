/**
 * Import rate by the number of accounts: transfers between random accounts, all signatures checked, on disk.
 * The data set of each size is created once and cached: 10^7 accounts take 3 GB.
 *
 * npm run tool bench:accounts -- [counts…]
 */

import { equalBytes } from "../src/protocol/bytes.js";
import { TransferContract } from "../src/protocol/messages.js";
import { accountEntries, addressAt } from "./large-state/account-entries.js";
import { benchLargeState, type LargeState } from "./large-state/large-state.js";
import { signedBy } from "./large-state/network.js";

const state: LargeState = {
	name: "accounts",
	entries: (_, count, senders) => accountEntries(count, senders),
	transaction(open, sender, count, senders, pick) {
		let to_address = sender.address;
		while (equalBytes(to_address, sender.address)) {
			const index = pick(count);
			to_address = senders[index]?.address ?? addressAt(index, count);
		}
		const transfer = TransferContract.create({ owner_address: sender.address, to_address, amount: 1n });
		return signedBy(sender, open, "TransferContract", transfer);
	},
};

await benchLargeState(state, process.argv.slice(2));
