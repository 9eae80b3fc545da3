/** What an inclusion proof proves, and what it doesn't, for printing (protocol/inclusion-proof §2). */

import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import type { WitnessKey } from "../../protocol/inclusion/proof.js";
import type { Inclusion } from "../../protocol/inclusion/verify.js";
import { setNumber, type WitnessSet } from "../../protocol/inclusion/witness-set.js";
import { chainTitle } from "../../protocol/public-networks.js";
import { transactionSummary } from "../transaction/contract-summary.js";
import { viewTransaction } from "../transaction/transaction-view.js";
import { utcTime } from "../values/moment.js";
import type { View } from "./message-view.js";

interface WitnessKeyView {
	readonly address: string;
	readonly key: string;
}

export interface InclusionView {
	readonly txID: string;
	readonly type: View | undefined;
	readonly from: View | undefined;
	readonly contract: View | undefined;
	readonly signers: View | undefined;
	/** The contract's result as recorded in the block; absent if the block records none. */
	readonly result: View | undefined;
	readonly block: { readonly number: bigint; readonly id: string; readonly timestamp: bigint };
	/** The last block of the proof. */
	readonly last: bigint;
	/** Always true: anything less doesn't count as proven. */
	readonly irreversible: true;
	readonly witnesses: {
		readonly trusted: number;
		readonly needed: number;
		readonly built: readonly WitnessKeyView[];
		readonly others: readonly WitnessKeyView[];
	};
	/** Where the trusted set claims to be from; `distance` in blocks up to the proven one. */
	readonly checkpoint: {
		readonly chain: string | undefined;
		readonly block: string | undefined;
		readonly distance: bigint | undefined;
	};
	readonly notProven: readonly string[];
}

export async function viewInclusion(proven: Inclusion, trusted: WitnessSet): Promise<InclusionView> {
	const { transaction, block, last, builders, needed, others } = proven;
	const { type, from, contract, signers, result } = await viewTransaction(transaction);
	const number = setNumber(trusted);
	return {
		txID: transaction.idHex,
		type,
		from,
		contract,
		signers,
		result,
		block: { number: block.number, id: toHex(block.id), timestamp: block.timestampMs },
		last: last.number,
		irreversible: true,
		witnesses: {
			trusted: trusted.witnesses.length,
			needed,
			built: builders.map(keyView),
			others: others.map(keyView),
		},
		checkpoint: {
			chain: trusted.chain && toHex(trusted.chain),
			block: trusted.block && toHex(trusted.block),
			distance: number === undefined ? undefined : block.number - number,
		},
		notProven: [
			result === undefined
				? "that the contract succeeded: the block records no result of it"
				: `that the contract did what it should: the block records ${String(result)}, nothing of logs, energy, fees or return values`,
			"that these witnesses were the active ones at this block: that is what the set says that you trust",
		],
	};
}

const keyView = ({ address, key }: WitnessKey): WitnessKeyView => ({
	address: toBase58Check(address),
	key: toBase58Check(key),
});

/** The view as lines for people. */
export function inclusionLines(view: InclusionView, { transaction }: Inclusion, set: WitnessSet): string[] {
	const { txID, type, from, result, block, last, witnesses, notProven } = view;
	const { trusted, needed, built, others } = witnesses;
	const number = setNumber(set);
	const origin = [
		set.chain && `of ${chainTitle(set.chain)}`,
		number !== undefined && `as of block ${number}`,
	];
	const rows: readonly (readonly [string, readonly unknown[]])[] = [
		["transaction", [txID, transactionSummary(transaction) ?? `${type} of ${from}`]],
		["recorded", [result ?? "no result"]],
		["block", [`${block.number} ${block.id}`, utcTime(block.timestamp)]],
		[
			"proven",
			[
				"it is in this block, and the block is irreversible:",
				`${built.length} of ${trusted} trusted witnesses built on it up to block ${last} (${needed} needed)`,
			],
		],
		["by", built.map(keyText)],
		["not counted", others.map(keyText)],
		["trusted", [[`${trusted} in all`, ...origin].filter(Boolean).join(", ")]],
		["not proven", notProven],
	];
	return rows.flatMap(([name, texts]) =>
		texts.map((text, index) => `${(index === 0 ? name : "").padEnd(12)} ${text}`),
	);
}

const keyText = ({ address, key }: WitnessKeyView): string =>
	address === key ? address : `${address} by the key ${key}`;
