/** What a watcher finds, as text and as records. */

import type { SetChange, WatchedBlock } from "../../node/network/watch/header-chain.js";
import type { WatchEvent } from "../../node/network/watch/watch.js";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";

/** Where it goes. */
export interface Printer {
	readonly json: boolean;
	line(text: string): void;
	record(record: object): void;
	/** What isn't the result. */
	note(text: string): void;
}

const blockOf = ({ number, id, timestampMs, address }: WatchedBlock) => ({
	number: String(number),
	id: toHex(id),
	timestamp: new Date(Number(timestampMs)).toISOString(),
	witness: toBase58Check(address),
});

const blockText = (block: WatchedBlock): string => {
	const { number, id, timestamp, witness } = blockOf(block);
	return `${number} ${id} ${timestamp} ${witness}`;
};

const row = (name: string, text: string): string => `${name.padEnd(12)} ${text}`;

const addresses = (keys: SetChange["added"]): string[] => keys.map(({ address }) => toBase58Check(address));

/** @param file where a proof was written */
export function eventRecord(event: WatchEvent, file: string | undefined): object {
	switch (event.kind) {
		case "peer":
			return { event: "peer", address: event.address, codeVersion: event.codeVersion };
		case "left":
			return { event: "left", address: event.address, reason: event.why };
		case "verified":
			return {
				event: "verified",
				head: blockOf(event.head),
				irreversible: blockOf(event.final),
				needed: event.needed,
				witnesses: event.of,
				afterMs: Math.round(event.afterMs),
				...(event.passedOver !== undefined && { passedOver: String(event.passedOver) }),
			};
		case "block":
			return {
				event: "block",
				block: blockOf(event.block),
				transactions: event.transactions,
				...(event.final !== undefined && { irreversible: String(event.final) }),
				reorg: event.isReorg,
			};
		case "transaction":
		case "proven":
			return {
				event: event.kind,
				txID: toHex(event.id),
				block: String(event.block.number),
				type: event.type,
				result: event.result,
				...(event.kind === "proven" && {
					builders: event.builders,
					...(file === undefined ? { proof: event.proof } : { file }),
				}),
			};
		case "witnesses":
			return {
				event: "witnesses",
				block: String(event.number),
				added: addresses(event.added),
				removed: addresses(event.removed),
				silent: event.silent,
				by: "blocks that two thirds of the witnesses before built on",
			};
		case "unproven":
			return { event: "unproven", count: event.count, reason: event.why };
	}
}

/** @param file where a proof was written */
export function eventLine(event: WatchEvent, file: string | undefined): string {
	switch (event.kind) {
		case "peer":
			return row("peer", `${event.address} ${event.codeVersion}`);
		case "left":
			return row("left", `${event.address}: ${event.why}`);
		case "verified": {
			const by = `${event.needed} of ${event.of} trusted witnesses built on block ${event.final.number}`;
			const gap =
				event.passedOver === undefined ? "" : `; blocks from ${event.passedOver} on were not looked at`;
			return row("verified", `${blockText(event.head)}; ${by}, after ${Math.round(event.afterMs)} ms${gap}`);
		}
		case "block": {
			const { block, transactions, final, isReorg } = event;
			const solid = final === undefined ? "" : `, irreversible ${final}`;
			return row(isReorg ? "reorg" : "block", `${blockText(block)}, ${transactions} transactions${solid}`);
		}
		case "transaction":
			return row(
				"transaction",
				`${toHex(event.id)} ${event.type} ${event.result} in block ${event.block.number}`,
			);
		case "proven": {
			const where = file === undefined ? "" : `: ${file}`;
			return row(
				"proven",
				`${toHex(event.id)} block ${event.block.number} is irreversible, ${event.builders} witnesses built on it${where}`,
			);
		}
		case "witnesses":
			return row("witnesses", changeText(event));
		case "unproven":
			return row("unproven", `${event.count} transactions: ${event.why}`);
	}
}

/** What is known of a change, how, and what isn't. */
function changeText({ number, added, removed, silent }: SetChange): string {
	const names = (keys: SetChange["added"]): string =>
		keys.length === 0 ? "none" : addresses(keys).join(" ");
	const unknown =
		silent === 0 ? "" : `; ${silent} made no block, and no header says whether they still belong to it`;
	return `up to block ${number}: new ${names(added)}, gone ${names(removed)}, by blocks that two thirds of those before built on${unknown}`;
}
