/**
 * What contracts wrote to their console, in the answers in which tools look for it (protocol/development-chain §4.7): the internal
 * transaction that wrote a line carries its call data, a member that the network's messages don't have.
 */

import { fromHex, toHex } from "../../../protocol/bytes.js";
import { transactionInfoById } from "../../chain/block-store.js";
import type { ContractConsole } from "../../development/contract-console.js";
import type { StateView } from "../../state/view.js";

/** Last segments of the paths whose answers list internal transactions. */
const LISTING: ReadonlySet<string> = new Set([
	"triggerconstantcontract",
	"gettransactioninfobyid",
	"gettransactioninfobyblocknum",
]);

const BROADCAST = "broadcasttransaction";

export class ConsoleView {
	constructor(
		private readonly console: ContractConsole,
		private readonly state: () => StateView,
	) {}

	/** What is done to the answer of a path; undefined: nothing. */
	rewriterOf(path: string): ((text: string) => string) | undefined {
		const name = path.slice(path.lastIndexOf("/") + 1);
		if (name === BROADCAST) return (text) => this.withWritten(text);
		return LISTING.has(name) ? (text) => this.withData(text) : undefined;
	}

	/** Adds the data behind the hashes of calls that wrote. Our writer puts no blanks between members. */
	private withData(text: string): string {
		if (this.console.isSilent) return text;
		return text.replaceAll(/"hash":\s?"([0-9a-f]{64})"/g, (member, hash: string) => {
			const data = this.console.dataOf(hash);
			return data === undefined ? member : `${member},"data":"${data}"`;
		});
	}

	/** Adds what the execution wrote to the answer of a broadcast, where a block holds it already. */
	private withWritten(text: string): string {
		const id = this.console.isSilent ? undefined : /"txid":\s?"([0-9a-f]{64})"/.exec(text)?.[1];
		const info = id && transactionInfoById(this.state(), fromHex(id));
		const written = info
			? info.internal_transactions.filter(({ hash }) => this.console.dataOf(toHex(hash)))
			: [];
		if (written.length === 0) return text;
		const members = written.map(({ hash, caller_address, transferTo_address, note }) => ({
			hash: toHex(hash),
			data: this.console.dataOf(toHex(hash)),
			caller_address: toHex(caller_address),
			transferTo_address: toHex(transferTo_address),
			note: toHex(note),
		}));
		return text.replace(/\}(\s*)$/, `,"internal_transactions":${JSON.stringify(members)}}$1`);
	}
}
