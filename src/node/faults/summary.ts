/** A bundle's decisive transaction and everyone's results for it, human-readable. */

import { type TransactionInfo, TransactionResultContractResultEnum } from "../../protocol/messages.js";
import { agrees } from "../tracing/trace-runner.js";
import { type BlockRun, outcomeOf } from "./block-run.js";
import type { FaultBundle } from "./bundle.js";

interface Summary {
	/** 64 hex digits; undefined: the block itself. */
	readonly transaction: string | undefined;
	readonly computed: string;
	readonly recorded: string;
}

export function faultSummary(bundle: FaultBundle): Summary {
	const position = firstDifference(bundle);
	return {
		transaction: position === undefined ? undefined : bundle.block.transactions[position]?.idHex,
		computed: computedText(bundle, position),
		recorded: recordedText(bundle, position),
	};
}

/** The result of the bundle's node. */
export function computedText({ computed, differences }: FaultBundle, position: number | undefined): string {
	const [first] = differences;
	if (position === undefined && !computed.refusal && first)
		return `${first.subject} ${first.what}: ${first.ours}`;
	return shown(computed, position);
}

/** Index of the first transaction that is refused or differs from the record. */
export function firstDifference({ computed, recorded }: FaultBundle, run?: BlockRun): number | undefined {
	const refused = computed.refusal?.position ?? run?.refusal?.position;
	if (refused !== undefined) return refused;
	const differs = (others: readonly Readonly<TransactionInfo>[]): number =>
		computed.infos.findIndex((info, at) => {
			const other = others[at];
			return other !== undefined && !agrees(info, other);
		});
	return [differs(recorded), differs(run?.infos ?? [])].find((position) => position >= 0);
}

/** The recorded result of a transaction: the other node's receipt, or the result in the block. */
export function recordedText(
	{ block, recorded, differences, computed }: FaultBundle,
	position: number | undefined,
): string {
	const info = position === undefined ? undefined : recorded[position];
	if (info) return outcomeOf(info);
	const code = position === undefined ? undefined : block.transactions[position]?.message.ret[0]?.contractRet;
	if (code !== undefined) return TransactionResultContractResultEnum.names.get(code) ?? String(code);
	const [first] = differences;
	if (first) return `${first.subject} ${first.what}: ${first.theirs}`;
	return computed.refusal ? "a block of the chain" : "nothing else";
}

/** A run's result for one transaction. */
export function shown(run: BlockRun | undefined, position: number | undefined): string {
	if (!run) return "not known";
	const info = position === undefined ? undefined : run.infos[position];
	const parts = [
		...(run.refusal ? [`${run.refusal.className}: ${run.refusal.message}`] : []),
		...(info ? [outcomeOf(info)] : []),
	];
	return parts.join("; ") || "a good block";
}
