/** The chain as such, its log, and looking at executions. */

import { toBase58Check } from "../../../../protocol/address.js";
import { EMPTY, fromHex } from "../../../../protocol/bytes.js";
import { contractType } from "../../../../protocol/contract-types.js";
import { CreateSmartContract, SmartContract, TriggerSmartContract } from "../../../../protocol/messages.js";
import { buildTransaction, type SignedTransaction } from "../../../../protocol/transaction.js";
import { storageRange, type Trace, traceCall, traceTransaction } from "../../../development/trace.js";
import type { JsonObject, JsonValue } from "../../jsonrpc/json-reader.js";
import {
	checkCount,
	invalid,
	optionalQuantity,
	readAccount,
	readBoolean,
	readBytes,
	readObject,
	readQuantity,
	readText,
} from "../arguments.js";
import type { DevelopmentContext, DevelopmentMethods } from "../method.js";

const sealingOf = ({ control }: DevelopmentContext): string | number => {
	const { sealMode } = control.conditions;
	return typeof sealMode === "string" ? sealMode : sealMode.intervalMs / 1000;
};

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

/** A trace as debuggers of contracts read it; the order of members counts. */
function traceView({ failed, steps }: Trace): object {
	return {
		failed,
		gas: "",
		structLogs: steps.map(({ depth, gas, gasCost, memory, op, pc, stack, storage }) => ({
			depth,
			error: "",
			gas: `0x${gas.toString(16).padStart(16, "0")}`,
			gasCost,
			memory,
			op,
			pc,
			stack,
			storage,
		})),
		returnValue: "",
	};
}

/** The unsigned transaction of a call object `{from, to, value, data}`. */
function callOf(call: JsonObject): SignedTransaction {
	const from = call.get("from");
	const to = call.get("to");
	const data = call.get("data") ?? call.get("input");
	const owner_address = from === undefined || from === null ? zeroAddress() : readAccount(from);
	const call_value = optionalQuantity(call.get("value")) ?? 0n;
	const bytes = data === undefined || data === null ? EMPTY : readBytes(data);
	const header = { refBlockBytes: EMPTY, refBlockHash: EMPTY, expirationMs: 0n, timestampMs: 0n };
	if (to === undefined || to === null) {
		const new_contract = SmartContract.create({
			origin_address: owner_address,
			bytecode: bytes,
			call_value,
			consume_user_resource_percent: 100n,
			origin_energy_limit: 1n,
		});
		const deployment = CreateSmartContract.create({ owner_address, new_contract });
		return buildTransaction(contractType("CreateSmartContract"), deployment, header);
	}
	const trigger = TriggerSmartContract.create({
		owner_address,
		contract_address: readAccount(to),
		call_value,
		data: bytes,
	});
	return buildTransaction(contractType("TriggerSmartContract"), trigger, header);
}

function zeroAddress(): Uint8Array {
	return readAccount("0".repeat(40));
}

function transactionId(value: JsonValue | undefined): Uint8Array {
	const digits = readText(value).replace(/^0x/i, "");
	if (!/^[0-9a-f]{64}$/i.test(digits)) throw invalid("hex decode error");
	return fromHex(digits);
}

/** Only the storage of the head is there: its number, its id, or 0. */
function checkIsHead({ control }: DevelopmentContext, value: JsonValue | undefined): void {
	const text = readText(value).toLowerCase();
	if (text === "latest" || text.replace(/^0x/, "") === control.head.idHex) return;
	if (/^0x[0-9a-f]{64}$/.test(text)) throw invalid("only the storage of the head block is known");
	const number = readQuantity(text);
	if (number !== 0n && number !== control.head.number) {
		throw invalid("only the storage of the head block is known");
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
	[
		["debug_traceTransaction"],
		({ control }, params) => {
			checkCount(params, 1, 2);
			return traceView(traceTransaction(control.open, control.options.machine, transactionId(params[0])));
		},
	],
	[
		["debug_traceCall"],
		({ control, node }, params) => {
			checkCount(params, 1, 3);
			const { maxEnergyLimitForConstant } = node.config.vm;
			const call = callOf(readObject(params[0]));
			return traceView(traceCall(control.open, control.options.machine, call, maxEnergyLimitForConstant));
		},
	],
	[
		["debug_storageRangeAt"],
		async (context, params) => {
			checkCount(params, 5);
			checkIsHead(context, params[0]);
			const limit = Number(readQuantity(params[4]));
			if (limit < 0 || limit > MAX_ROWS) throw invalid(`limit should between [0, ${MAX_ROWS}]`);
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
