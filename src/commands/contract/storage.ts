import { Args, Flags } from "@oclif/core";
import { concatBytes, fromHex, toHex, utf8 } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { blockFlag, keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import type { Json } from "../../wallet/json.js";
import { callJsonRpc } from "../../wallet/node/json-rpc.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { keepsNoPast } from "../../wallet/node/node-messages.js";
import { accountNamed } from "../../wallet/transaction/signing.js";

export default class ContractStorage extends QueryCommand {
	static override summary = "Print a slot of a contract's storage";
	static override description =
		"The slot is a number; each --at goes one step into a mapping that stands there: a number, an address in any form, " +
		'32 bytes as 0x…, or a text in double quotes. A further number after it, as "+1", is a member of the struct found there.';
	static override examples = [
		"<%= config.bin %> contract storage store 0",
		"<%= config.bin %> contract storage store 2 --at alice --at +1",
	];
	static override args = {
		address: Args.string({ description: "the contract", required: true, ignoreStdin: true }),
		slot: Args.string({ description: "number of the slot", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...nodeFlags,
		...blockFlag,
		...keystoreFlags,
		at: Flags.string({
			description: "key of a mapping; repeatable",
			helpValue: "<key>",
			multiple: true,
			multipleNonGreedy: true,
		}),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ContractStorage);
		let slot = slotNumber(args.slot);
		const settings = await this.settings(flags);
		const address = await accountNamed(settings, args.address);
		for (const key of flags.at ?? []) slot = await step(settings, slot, key);
		const client = await this.stateClient(settings, flags.block);
		const value = await storageAt(client, address, slot);
		if (typeof value !== "string") throw new Failure("rpc_error", "the node answered with no storage value");
		this.printScalar(value);
	}
}

async function storageAt(client: NodeClient, address: Uint8Array, slot: bigint): Promise<Json> {
	const { stateBlock } = client;
	const tag = stateBlock ? `0x${stateBlock.number.toString(16)}` : "latest";
	const words = [`0x${toHex(address.subarray(1))}`, `0x${slot.toString(16)}`, tag];
	try {
		return await callJsonRpc(client, "eth_getStorageAt", words);
	} catch (error) {
		if (!stateBlock || !(error instanceof Failure) || !keepsNoPast(error)) throw error;
		throw new Failure("not_served", "the node keeps no state of past blocks", {
			hint: "a node does with node.history.state in its configuration",
		});
	}
}

function slotNumber(text: string): bigint {
	if (!/^(\d+|0x[0-9a-f]+)$/i.test(text) || BigInt(text) >= 1n << 256n) {
		throw new Failure("bad_value", `"${text}" is not a slot: a number of at most 256 bits is needed`);
	}
	return BigInt(text);
}

/** One step into what stands at a slot (the compilers' layout of storage). */
async function step(settings: Settings, slot: bigint, key: string): Promise<bigint> {
	const member = /^\+(\d+)$/.exec(key);
	if (member) return BigInt.asUintN(256, slot + BigInt(member[1] as string));
	return BigInt(`0x${toHex(keccak256(concatBytes(await keyBytes(settings, key), word(slot))))}`);
}

async function keyBytes(settings: Settings, key: string): Promise<Uint8Array> {
	if (/^".*"$/.test(key)) return utf8(key.slice(1, -1));
	if (/^(-?\d+|0x[0-9a-f]{1,39}|0x[0-9a-f]{43,64})$/i.test(key)) {
		return word(BigInt.asUintN(256, BigInt(key)));
	}
	const account = await accountNamed(settings, key);
	return concatBytes(new Uint8Array(12), account.subarray(1));
}

function word(value: bigint): Uint8Array {
	return fromHex(value.toString(16).padStart(64, "0"));
}
