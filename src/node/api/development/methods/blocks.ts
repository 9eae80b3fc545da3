/** Manual sealing, seal modes, and the clock. */

import type { SealMode } from "../../../development/conditions.js";
import type { MineRequest } from "../../../development/control.js";
import { isRawObject, type RawValue } from "../../jsonrpc/json-reader.js";
import { INVALID_PARAMS, RpcError } from "../../jsonrpc/rpc-error.js";
import {
	checkCount,
	invalidArguments,
	optionalQuantity,
	readBoolean,
	readObject,
	readQuantity,
	readSafeInteger,
} from "../arguments.js";
import type { DevelopmentContext, DevelopmentMethod, DevelopmentMethods } from "../method.js";

const MAX_BLOCKS = 10_000;
const MAX_SECONDS = 60;

const mine = async (
	{ control }: DevelopmentContext,
	request: MineRequest,
): Promise<{ number: bigint; blockID: string; timestampMs: bigint }> => {
	const { block } = await control.mine(request);
	return { number: block.number, blockID: block.idHex, timestampMs: block.timestampMs };
};

const blocksOf = (value: RawValue | undefined, most = MAX_BLOCKS, message?: string): number =>
	value === undefined || value === null
		? 1
		: readSafeInteger(value, 1, most, message ?? `blocks should between [1, ${most}]`);

const seconds = (value: bigint | undefined): bigint | undefined =>
	value === undefined ? undefined : value * 1000n;

const setSealing =
	(mode: (value: RawValue | undefined) => SealMode): DevelopmentMethod =>
	async ({ control }, params) => {
		checkCount(params, 1);
		await control.setSealing(mode(params[0]));
		return true;
	};

/** The seal mode for an interval in seconds. @param zero what 0 means */
const interval = (value: RawValue | undefined, zero: SealMode): SealMode => {
	const count = readSafeInteger(value, 0, MAX_SECONDS, "block time should between [0, 60] in second");
	return count === 0 ? zero : { intervalMs: count * 1000 };
};

const fixedSealing =
	(mode: SealMode): DevelopmentMethod =>
	async ({ control }) => {
		await control.setSealing(mode);
		return true;
	};

/** The mode, or its interval in seconds. */
export const sealingOf = ({ control }: DevelopmentContext): string | number => {
	const { sealMode } = control.conditions;
	return typeof sealMode === "string" ? sealMode : sealMode.intervalMs / 1000;
};

const isInstant: DevelopmentMethod = ({ control }) => control.conditions.sealMode === "instant";

const setNext =
	(unitMs: bigint): DevelopmentMethod =>
	({ control }, params) => {
		checkCount(params, 1);
		control.setNextTimestamp(readQuantity(params[0]) * unitMs);
		return true;
	};

export const blockMethods: DevelopmentMethods = [
	[
		["dev_mine"],
		(context, params) => {
			checkCount(params, 0, 1);
			const request = readObject(params[0]);
			return mine(context, {
				blocks: blocksOf(request.get("blocks")),
				intervalMs: optionalQuantity(request.get("intervalMs")),
				timestampMs: optionalQuantity(request.get("timestampMs")),
			});
		},
	],
	[
		["tre_mine"],
		async (context, params) => {
			checkCount(params, 0, 1);
			const blocks = blocksOf(readObject(params[0]).get("blocks"), 100, "blocks should between (0, 100]");
			await mine(context, { blocks });
			return "0x0";
		},
	],
	[
		["evm_mine"],
		async (context, params) => {
			checkCount(params, 0, 1);
			const [first] = params;
			const request = isRawObject(first) ? first : new Map([["timestamp", first ?? null]]);
			await mine(context, {
				blocks: blocksOf(request.get("blocks")),
				timestampMs: seconds(optionalQuantity(request.get("timestamp"))),
			});
			return "0x0";
		},
	],
	[
		["anvil_mine", "hardhat_mine"],
		async (context, params) => {
			checkCount(params, 0, 2);
			await mine(context, {
				blocks: blocksOf(params[0]),
				intervalMs: seconds(optionalQuantity(params[1])),
			});
			return true;
		},
	],
	[
		["dev_setSealing"],
		setSealing((value) => {
			if (value === "instant" || value === "manual") return value;
			const mode = interval(value, "instant");
			if (mode === "instant") throw invalidArguments("block time should between [1, 60] in second");
			return mode;
		}),
	],
	[["tre_blockTime"], setSealing((value) => interval(value, "instant"))],
	[["anvil_setIntervalMining"], setSealing((value) => interval(value, "manual"))],
	[
		["evm_setAutomine", "anvil_setAutomine"],
		setSealing((value) => (readBoolean(value) ? "instant" : "manual")),
	],
	[["miner_start"], fixedSealing("instant")],
	[["miner_stop"], fixedSealing("manual")],
	[
		["evm_setIntervalMining"],
		() => {
			// Some existing programs use milliseconds here, others seconds.
			throw new RpcError(INVALID_PARAMS, "ambiguous unit: use dev_setSealing");
		},
	],
	[["dev_sealing"], sealingOf],
	[["hardhat_getAutomine", "anvil_getAutomine"], isInstant],
	[
		["dev_increaseTime"],
		({ control }, params) => {
			checkCount(params, 1);
			return control.increaseTime(readQuantity(params[0]));
		},
	],
	[
		["evm_increaseTime", "anvil_increaseTime"],
		({ control }, params) => {
			checkCount(params, 1);
			return control.increaseTime(readQuantity(params[0]) * 1000n) / 1000n;
		},
	],
	[
		["tre_increaseTime"],
		async (context, params) => {
			checkCount(params, 1);
			context.control.increaseTime(readQuantity(params[0]) * 1000n);
			return (await mine(context, {})).timestampMs;
		},
	],
	[["dev_setNextBlockTimestamp", "tre_setNextBlockTimestamp"], setNext(1n)],
	[["evm_setNextBlockTimestamp", "anvil_setNextBlockTimestamp"], setNext(1000n)],
	[
		["dev_setTime"],
		({ control }, params) => {
			checkCount(params, 1);
			control.setTime(readQuantity(params[0]));
			return true;
		},
	],
	[
		["dev_maintenance"],
		async ({ control }) => {
			const { block } = await control.maintain();
			return { number: block.number };
		},
	],
];
