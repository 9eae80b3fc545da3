/** The chain itself, its log, and tracing. */

import { toBase58Check } from "../../../../protocol/address.js";
import { storageRange } from "../../../development/storage-range.js";
import type { RawArray, RawValue } from "../../jsonrpc/json-reader.js";
import { debugMethods } from "../../jsonrpc/methods/debug.js";
import {
	checkCount,
	invalidArguments,
	readAccount,
	readBoolean,
	readQuantity,
	readText,
} from "../arguments.js";
import { type DevelopmentContext, type DevelopmentMethods, ordinaryContext } from "../method.js";
import { sealingOf } from "./blocks.js";

const genesisOf = ({ control }: DevelopmentContext): string =>
	Buffer.from(control.open.rules.genesisId).toString("hex");

const info = (context: DevelopmentContext): object => {
	const { control, ports } = context;
	const { conditions, snapshots, instanceId, head } = control;
	const genesis = genesisOf(context);
	return {
		version: control.open.rules.release,
		genesis,
		chainId: `0x${genesis.slice(-8)}`,
		head: head.number,
		headTime: head.timestampMs,
		clockOffsetMs: conditions.offsetMs,
		sealing: sealingOf(context),
		solidLag: conditions.solidLag,
		snapshots: snapshots.ids,
		unlocked: conditions.unlockedAccounts.map(toBase58Check),
		unlockAll: conditions.unlockAll,
		instanceId,
		ports,
	};
};

/** Only the head's storage is available: by number, by id, or 0. */
function checkIsHead({ control }: DevelopmentContext, value: RawValue | undefined): void {
	const text = readText(value).toLowerCase();
	if (text === "latest" || text.replace(/^0x/, "") === control.head.idHex) return;
	if (/^0x[0-9a-f]{64}$/.test(text)) throw invalidArguments("only the storage of the head block is known");
	const number = readQuantity(text);
	if (number !== 0n && number !== control.head.number) {
		throw invalidArguments("only the storage of the head block is known");
	}
}

const MAX_ROWS = 10_000;

export const nodeMethods: DevelopmentMethods = [
	[["dev_info"], info],
	[["tre_version"], ({ control }) => control.open.rules.release],
	[
		["anvil_nodeInfo", "hardhat_metadata"],
		(context) => {
			const { control } = context;
			return {
				clientVersion: control.open.rules.release,
				chainId: Number.parseInt(genesisOf(context).slice(-8), 16),
				instanceId: control.instanceId,
				latestBlockNumber: control.head.number,
				latestBlockHash: `0x${control.head.idHex}`,
			};
		},
	],
	[["dev_instanceId", "tre_instanceId"], ({ control }) => control.instanceId],
	[
		["dev_setLogging", "anvil_setLoggingEnabled", "hardhat_setLoggingEnabled"],
		({ control }, params) => {
			checkCount(params, 1);
			control.options.setLogging?.(readBoolean(params[0]));
			return true;
		},
	],
	...debugMethods.map(
		({ name, least, parameters, call }) =>
			[
				[name],
				(context: DevelopmentContext, params: RawArray) => {
					checkCount(params, least ?? parameters.length, parameters.length);
					return call(ordinaryContext(context), params);
				},
			] as const,
	),
	[
		["debug_storageRangeAt"],
		async (context, params) => {
			checkCount(params, 5);
			checkIsHead(context, params[0]);
			const limit = Number(readQuantity(params[4]));
			if (limit < 0 || limit > MAX_ROWS) throw invalidArguments(`limit should between [0, ${MAX_ROWS}]`);
			const start = readText(params[3]).replace(/^0x/i, "").toLowerCase();
			const { rows, nextKey } = await storageRange(
				context.control.open,
				readAccount(params[2]),
				/^0*$/.test(start) ? "" : start,
				limit,
			);
			return {
				storage: Object.fromEntries(rows.map((row) => [row.key, row])),
				nextKey: nextKey ?? null,
			};
		},
	],
];
