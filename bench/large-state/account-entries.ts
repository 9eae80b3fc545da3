/** Accounts of a large state, as database entries. */

import { stores } from "../../src/node/state/definition.js";
import { concatBytes } from "../../src/protocol/bytes.js";
import type { RawEntry } from "./data-set.js";
import { plainAccount, type Sender } from "./network.js";

/** An address without a known key: evenly spread over the key space, ascending with the index. */
export function addressAt(index: number, count: number): Uint8Array {
	const address = Buffer.alloc(21);
	address[0] = 0x41;
	address.writeUInt32BE(Math.floor((index / count) * 2 ** 32), 1);
	for (let at = 5; at < 21; at += 4) address.writeUInt32BE(Math.imul(index + at, 0x9e3779b1) >>> 0, at);
	return address;
}

const prefix = Uint8Array.of(stores.account.index);

/**
 * Entries of `count` accounts, ascending.
 * @param senders accounts among them with known keys
 * @param record encodes an account; `sender` is its index among the senders
 */
export function* accountEntries(
	count: number,
	senders: readonly Sender[],
	record: (address: Uint8Array, sender?: number) => Uint8Array = (address) => plainAccount(address),
): Generator<RawEntry> {
	const own = senders
		.map(({ address }, sender) => ({ address, sender }))
		.sort((a, b) => Buffer.compare(a.address, b.address));
	const entry = (address: Uint8Array, sender?: number): RawEntry => [
		concatBytes(prefix, address),
		record(address, sender),
	];
	let next = 0;
	for (let index = senders.length; index < count; index++) {
		const address = addressAt(index, count);
		for (let first = own[next]; first && Buffer.compare(first.address, address) < 0; first = own[++next]) {
			yield entry(first.address, first.sender);
		}
		yield entry(address);
	}
	for (const { address, sender } of own.slice(next)) yield entry(address, sender);
}
