/**
 * How the import rate changes with the number of accounts: transfers between accounts chosen at random, every signature
 * checked, on disk. The data set of each size is made once and kept in the user's caches: 10^7 accounts take 3 GB there.
 *
 * npm run tool bench:accounts -- [counts…]
 */

import { stores } from "../src/node/state/definition.js";
import { concatBytes, equalBytes } from "../src/protocol/bytes.js";
import { TransferContract } from "../src/protocol/messages.js";
import type { RawEntry } from "./large-state/data-set.js";
import { benchLargeState, type LargeState } from "./large-state/large-state.js";
import { plainAccount, type Sender, signedBy } from "./large-state/network.js";

/** Spread over the key space as hashes are, ascending with the index. */
function addressAt(index: number, count: number): Uint8Array {
	const address = Buffer.alloc(21);
	address[0] = 0x41;
	address.writeUInt32BE(Math.floor((index / count) * 2 ** 32), 1);
	for (let at = 5; at < 21; at += 4) address.writeUInt32BE(Math.imul(index + at, 0x9e3779b1) >>> 0, at);
	return address;
}

const prefix = Uint8Array.of(stores.account.index);
const entryOf = (address: Uint8Array): RawEntry => [concatBytes(prefix, address), plainAccount(address)];

function* accounts(count: number, senders: readonly Sender[]): Generator<RawEntry> {
	const own = senders.map(({ address }) => address).sort(Buffer.compare);
	let next = 0;
	for (let index = senders.length; index < count; index++) {
		const address = addressAt(index, count);
		for (; next < own.length && Buffer.compare(own[next] as Uint8Array, address) < 0; next++) {
			yield entryOf(own[next] as Uint8Array);
		}
		yield entryOf(address);
	}
	for (; next < own.length; next++) yield entryOf(own[next] as Uint8Array);
}

const state: LargeState = {
	name: "accounts",
	entries: (_, count, senders) => accounts(count, senders),
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
