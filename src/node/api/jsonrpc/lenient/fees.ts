/**
 * Fees as Ethereum libraries query them. Energy has one price regardless of how full blocks are: the base fee
 * is 0 and the whole price is the priority fee.
 */

import { countReceipts } from "../../../chain/block-store.js";
import { SLICE_MS, TimeSlice } from "../../../scheduling/time-slice.js";
import { anyValue, type DeclaredType, list, text } from "../declared-types.js";
import { JsonNumber, type RawArray, type RawValue } from "../json-reader.js";
import { defineMethod, type RpcContext, type RpcMethod, type RpcValue } from "../method.js";
import { blockByTag } from "../methods/blocks.js";
import { energyPriceAt } from "../objects/transaction.js";
import { invalidParams } from "../rpc-error.js";
import { quantity } from "../values.js";
import { blockTag } from "./parameters.js";

/** Blocks per answer, as in Ethereum's nodes. */
const MAX_BLOCKS = 1_024n;
const MAX_PERCENTILES = 100;

/** Price of energy at the head. */
export function energyPriceQuantity({ state }: Pick<RpcContext, "state">): string {
	return quantity(state.properties.get("ENERGY_FEE"));
}

/** Libraries omit it. */
const optionalList: DeclaredType<RawArray | null> = {
	label: list.label,
	read: (value: RawValue | undefined, release) => (value === undefined ? null : list.read(value, release)),
};

/** Energy that the highest fee limit buys. */
export function mostEnergy({ state }: Pick<RpcContext, "state">): bigint {
	const price = state.properties.get("ENERGY_FEE");
	return price > 0n ? state.properties.get("MAX_FEE_LIMIT") / price : 0n;
}

function readCount(value: RawValue): bigint {
	const digits = value instanceof JsonNumber ? value.text : value;
	if (typeof digits !== "string" || !/^(0x[0-9a-f]{1,16}|\d{1,19})$/i.test(digits)) {
		throw invalidParams("invalid number of blocks");
	}
	return BigInt(digits);
}

/** Reads up to a thousand blocks and their receipts, time-sliced; the chain may change after each yield. */
async function history(
	context: RpcContext,
	count: bigint,
	newest: string,
	percentiles: number,
): Promise<RpcValue> {
	const { state } = context;
	const last = blockByTag(context, newest);
	if (!last) throw invalidParams("block not found");
	if (count === 0n) return { oldestBlock: "0x0", gasUsedRatio: [] };
	const wanted = count > MAX_BLOCKS ? MAX_BLOCKS : count;
	const oldest = last.number - wanted + 1n > 0n ? last.number - wanted + 1n : 0n;
	const rewards: RpcValue[] = [];
	const turns = new TimeSlice(SLICE_MS);
	for (let number = oldest; percentiles > 0 && number <= last.number; number++) {
		if (turns.over) await turns.yield();
		if (context.isAbandoned?.()) break;
		const block = blockByTag(context, quantity(number));
		const used = countReceipts(state, number) > 0;
		const price = quantity(block && used ? energyPriceAt(state, block.timestampMs) : 0n);
		rewards.push(Array.from({ length: percentiles }, () => price));
	}
	const blocks = Number(last.number - oldest) + 1;
	return {
		oldestBlock: quantity(oldest),
		baseFeePerGas: Array.from({ length: blocks + 1 }, () => "0x0"),
		// Plain JSON numbers. 0, since a block has no energy limit to compare with.
		gasUsedRatio: Array.from({ length: blocks }, () => 0),
		...(percentiles > 0 ? { reward: rewards } : {}),
	};
}

export const feeMethods: readonly RpcMethod[] = [
	defineMethod({
		name: "eth_maxPriorityFeePerGas",
		about: "Price of energy in sun, as the base fee is 0.",
		parameters: [],
		handle: energyPriceQuantity,
	}),
	{
		...defineMethod({
			name: "eth_feeHistory",
			about: "Prices of past blocks: a base fee of 0, and of blocks with transactions the price of energy.",
			parameters: [
				["blocks", anyValue],
				["newest", text],
				["percentiles", optionalList],
			],
			handle: (context, count, newest, percentiles) => {
				const width = percentiles?.length ?? 0;
				if (width > MAX_PERCENTILES) throw invalidParams(`at most ${MAX_PERCENTILES} percentiles`);
				return history(context, readCount(count), blockTag(newest) as string, width);
			},
		}),
		least: 2,
	},
];
