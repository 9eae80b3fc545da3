/** State edits, snapshots, dumps, and resets. */

import { NamedError } from "../../../../protocol/json/exceptions.js";
import { decodeFields } from "../../../../protocol/json/field-decoder.js";
import { AccountPermissionUpdateContract } from "../../../../protocol/messages.js";
import { UnknownSnapshotError } from "../../../development/snapshots.js";
import * as edits from "../../../development/state-edits.js";
import { SourceError } from "../../../history/contract-sources.js";
import { isRawObject, type RawValue } from "../../jsonrpc/json-reader.js";
import { membersText } from "../../jsonrpc/simulation/members.js";
import { areSilent } from "../../jsonrpc/simulation/overridden.js";
import {
	checkCount,
	invalidArguments,
	optionalQuantity,
	readAccount,
	readBalance,
	readBytes,
	readObject,
	readQuantity,
	readText,
	readWordArgument,
} from "../arguments.js";
import type { DevelopmentMethod, DevelopmentMethods } from "../method.js";

const setCode =
	(name: string): DevelopmentMethod =>
	async ({ control }, params) => {
		checkCount(params, 2);
		const account = readAccount(params[0]);
		const code = readBytes(params[1]);
		await control.edit((state) => edits.setCode(state, account, code, name));
		return true;
	};

const snapshot: DevelopmentMethod = ({ control }) => control.snapshot();

const revert: DevelopmentMethod = async ({ control }, params) => {
	checkCount(params, 1);
	await control.revert(snapshotId(params[0]));
	return true;
};

/** Tools of another network expect `false` for an unknown id, not an error. */
const revertOrFalse: DevelopmentMethod = async (context, params) => {
	try {
		return await revert(context, params);
	} catch (error) {
		if (error instanceof UnknownSnapshotError) return false;
		throw error;
	}
};

const dropSnapshot: DevelopmentMethod = ({ control }, params) => {
	checkCount(params, 1);
	control.dropSnapshot(snapshotId(params[0]));
	return true;
};

/** `0x…`, as returned by a snapshot, or the number. */
function snapshotId(value: RawValue | undefined): string {
	const text = readText(value);
	return /^\d+$/.test(text) ? `0x${BigInt(text).toString(16)}` : text;
}

const load: DevelopmentMethod = async ({ control }, params) => {
	checkCount(params, 1);
	const [dump] = params;
	const text = isRawObject(dump) ? dump.get("data") : dump;
	if (typeof text !== "string") throw invalidArguments();
	await control.load(/^0x/i.test(text) ? readBytes(text) : Buffer.from(text, "base64"));
	return true;
};

const setContractSource: DevelopmentMethod = ({ node }, params) => {
	checkCount(params, 2);
	const [account, record] = params;
	try {
		node.sources?.put(readAccount(account), readText(record));
	} catch (error) {
		if (error instanceof SourceError) throw invalidArguments(error.message);
		throw error;
	}
	return true;
};

const reset: DevelopmentMethod = async ({ control }) => {
	await control.reset();
	return true;
};

export const stateMethods: DevelopmentMethods = [
	[["dev_setContractSource"], setContractSource],
	[
		["dev_setBalance", "tre_setAccountBalance", "anvil_setBalance", "hardhat_setBalance"],
		async ({ control }, params) => {
			checkCount(params, 2);
			const account = readAccount(params[0]);
			const sun = readBalance(params[1]);
			await control.edit((state) => edits.setBalance(state, account, sun));
			return true;
		},
	],
	[
		["dev_addBalance", "anvil_addBalance"],
		async ({ control }, params) => {
			checkCount(params, 2);
			const account = readAccount(params[0]);
			const sun = readQuantity(params[1]);
			await control.edit((state) => {
				const balance = (state.account.get(account)?.balance ?? 0n) + sun;
				if (balance < 0n) throw invalidArguments("balance can not be less than 0");
				edits.setBalance(state, account, balance);
			});
			return true;
		},
	],
	[
		["dev_setTokenBalance"],
		async ({ control }, params) => {
			checkCount(params, 3);
			const account = readAccount(params[0]);
			const token = readQuantity(params[1]);
			const units = readBalance(params[2]);
			await control.edit((state) => edits.setTokenBalance(state, account, token, units));
			return true;
		},
	],
	[["dev_setCode", "anvil_setCode", "hardhat_setCode"], setCode("Created")],
	[["tre_setAccountCode"], setCode("CreatedByTre")],
	[
		["dev_setStorageAt", "tre_setAccountStorageAt", "anvil_setStorageAt", "hardhat_setStorageAt"],
		async ({ control }, params) => {
			checkCount(params, 3);
			const account = readAccount(params[0]);
			const [slot, value] = [readWordArgument(params[1]), readWordArgument(params[2])];
			await control.edit((state) => edits.setStorageAt(state, account, slot, value));
			return true;
		},
	],
	[
		["dev_setResources"],
		async ({ control }, params) => {
			checkCount(params, 2);
			const account = readAccount(params[0]);
			const wanted = readObject(params[1]);
			const resources = {
				bandwidthSun: optionalQuantity(wanted.get("bandwidthSun")),
				energySun: optionalQuantity(wanted.get("energySun")),
				votes: optionalQuantity(wanted.get("votes")),
			};
			if (Object.values(resources).some((sun) => sun !== undefined && sun < 0n)) {
				throw invalidArguments("balance can not be less than 0");
			}
			await control.edit((state) => edits.setResources(state, account, resources));
			return true;
		},
	],
	[
		["dev_setPermission"],
		async ({ control }, params) => {
			checkCount(params, 2);
			const account = readAccount(params[0]);
			const permissions = readPermissions(params[1]);
			await control.edit((state) => edits.setPermissions(state, account, permissions));
			return true;
		},
	],
	[
		["dev_setParameter"],
		async ({ control }, params) => {
			checkCount(params, 2);
			const name = readText(params[0]);
			const value = readQuantity(params[1]);
			await control.edit((state) =>
				edits.setParameter(state, control.open.forks, {
					name,
					value,
					network: control.open.rules.network ?? "main",
				}),
			);
			return true;
		},
	],
	[
		["dev_setSolidLag"],
		({ control }, params) => {
			checkCount(params, 1);
			const lag = readQuantity(params[0]);
			if (lag < 0n || lag > 1_000_000n) throw invalidArguments("lag should between [0, 1000000]");
			control.conditions.solidLag = lag;
			return true;
		},
	],
	[["dev_snapshot", "evm_snapshot", "anvil_snapshot", "tre_snapshot"], snapshot],
	[["dev_revert", "tre_revert"], revert],
	[["evm_revert", "anvil_revert"], revertOrFalse],
	[["dev_dropSnapshot", "tre_dropSnapshot"], dropSnapshot],
	[
		["dev_dumpState"],
		async ({ control }) => ({
			format: "coin-state",
			v: 1,
			data: Buffer.from(await control.dump()).toString("base64"),
		}),
	],
	[["anvil_dumpState"], async ({ control }) => `0x${Buffer.from(await control.dump()).toString("hex")}`],
	[["dev_loadState", "anvil_loadState"], load],
	[["dev_reset"], reset],
	[
		["anvil_reset", "hardhat_reset"],
		(context, params) => {
			if (!areSilent(params[0])) throw invalidArguments("this chain can't fork another one");
			return reset(context, []);
		},
	],
];

/** A document as `permission show` prints it. @throws {RpcError} */
function readPermissions(value: RawValue | undefined): AccountPermissionUpdateContract {
	if (!isRawObject(value)) throw invalidArguments();
	const members = new Map([...value].filter(([name]) => ["owner", "witness", "actives"].includes(name)));
	try {
		return decodeFields(AccountPermissionUpdateContract, membersText(members), true);
	} catch (error) {
		if (error instanceof NamedError)
			throw invalidArguments(`the permissions can't be read: ${error.message}`);
		throw error;
	}
}
