/** `coin contract storage`: variables by name, slots by number. */

import { Flags } from "@oclif/core";
import { readStorageLayout, type StorageLayout } from "../../abi/storage-layout.js";
import { toBase58Check } from "../../protocol/address.js";
import { concatBytes, equalBytes, fromHex, toHex, utf8 } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { query } from "../../terminal/base/command-row.js";
import { flagText } from "../../terminal/contract/contract-input.js";
import { blockFlag, keystoreFlags, nodeFlags, optional, required } from "../../terminal/flags/flags.js";
import { artifactMember } from "../../wallet/abi/interface.js";
import { readLabels } from "../../wallet/configuration/labels.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { givenJson, type Json } from "../../wallet/json.js";
import { callJsonRpc } from "../../wallet/node/json-rpc.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { keepsNoPast } from "../../wallet/node/node-messages.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { readAddress } from "../../wallet/values/address-text.js";
import { implementationOf, layoutThroughProxy } from "../../wallet/view/contract-record.js";
import {
	formOfKey,
	storedValues,
	variablesNamed,
	walletForms,
	withElements,
} from "../../wallet/view/contract-storage.js";

export const ContractStorageCommand = query({
	summary: "Print variables of a contract by name, or a slot of its storage",
	description:
		"By name where the layout is known: kept when it was deployed or verified here, stored with the node (contract verify --store), or given " +
		"with --layout; for a proxy without variables it is that of the contract behind it. A variable may have keys and members: balances[alice], orders[3].amount; without one all are printed. Of a list the first 100 elements are shown. " +
		"A number is a slot; each --at goes one step into a mapping that stands there: a number, an address in any form, " +
		'32 bytes as 0x…, or a text in double quotes. A further number after it, as "+1", is a member of the struct found there.',
	examples: [
		"<%= config.bin %> contract storage store 0",
		"<%= config.bin %> contract storage store 2 --at alice --at +1",
		"<%= config.bin %> contract storage store --layout @Store.layout.json",
		"<%= config.bin %> contract storage store 'paid[alice]' --layout @Store.layout.json",
	],
	args: {
		address: required("the contract"),
		slot: optional("name of a variable, or number of a slot"),
	},
	flags: {
		...nodeFlags,
		...blockFlag,
		...keystoreFlags,
		at: Flags.string({
			description: "key of a mapping; repeatable",
			helpValue: "<key>",
			multiple: true,
			multipleNonGreedy: true,
		}),
		layout: Flags.string({
			description: "layout of its storage, or an artifact that holds it: @file or JSON",
			helpValue: "<json>",
			exclusive: ["at"],
		}),
		as: Flags.string({
			description: "contract whose layout counts, such as the one behind a proxy that isn't recognised",
			helpValue: "<contract>",
			exclusive: ["at", "layout"],
		}),
	},
	run: async ({ args, flags, settings, client, print, note }) => {
		const address = await accountNamed(settings, args.address);
		const { slot: named } = args;
		if (named !== undefined && SLOT.test(named)) {
			let slot = slotNumber(named);
			for (const key of flags.at ?? []) slot = await step(settings, slot, key);
			return print.scalar(`0x${await wordAt(client, address, slot)}`);
		}
		if (flags.at) throw new Failure("usage", "--at goes with the number of a slot", { hint: "see --help" });
		const asked = flags.as === undefined ? address : await accountNamed(settings, flags.as);
		const { layout, of } = await layoutFor(client, asked, flags.layout);
		if (!equalBytes(of, asked)) note(`by the layout of the contract behind the proxy, ${toBase58Check(of)}`);
		const labels = new Map([...(await readLabels(settings))].map(([base58, label]) => [label, base58]));
		const forms = walletForms((text) => {
			const known = readAddress(labels.get(text) ?? text);
			return known && toHex(known.subarray(1));
		});
		const read = (slot: bigint) => wordAt(client, address, slot);
		const all = await variablesNamed(layout, named, read, forms);
		const variables = named === undefined ? all : await withElements(layout, all, read, forms);
		const rows = await storedValues(variables, read, forms);
		const [only, second] = rows;
		if (named !== undefined && only && !second) {
			const form = variables[0] && formOfKey(named, variables[0]);
			if (form !== undefined) note(`a value is named by its key: ${form}`);
			return print.scalar(only.value);
		}
		print.list(rows, ["name", "type", "slot", "value"], "it has no variables");
	},
});

async function layoutFor(
	client: NodeClient,
	address: Uint8Array,
	given: string | undefined,
): Promise<{ readonly layout: StorageLayout; readonly of: Uint8Array }> {
	if (given !== undefined) {
		const json = givenJson(await flagText(given, "the layout"), "the layout is not JSON");
		const layout = readStorageLayout(artifactMember(json, "storageLayout") ?? json);
		if (layout) return { layout, of: address };
		throw new Failure(
			"bad_value",
			"--layout holds no layout of storage: storage and types, as compilers write them",
		);
	}
	const stored = await layoutThroughProxy(client, address);
	if (stored) return stored;
	const behind = await implementationOf(client, address);
	const whose = `${toBase58Check(address)}${behind ? ` and of ${toBase58Check(behind)} behind it` : ""}`;
	throw new Failure("not_found", `the names of variables of ${whose} are not known here`, {
		hint: "--layout gives them, contract deploy <file.sol> and contract verify --source <file.sol> keep them",
	});
}

/** A storage word: 64 digits. */
async function wordAt(client: NodeClient, address: Uint8Array, slot: bigint): Promise<string> {
	const value = await storageAt(client, address, slot);
	if (typeof value !== "string" || !/^0x[0-9a-f]{64}$/i.test(value))
		throw new Failure("rpc_error", "the node answered with no storage value");
	return value.slice(2);
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

const SLOT = /^(\d+|0x[0-9a-f]+)$/i;

function slotNumber(text: string): bigint {
	if (!SLOT.test(text) || BigInt(text) >= 1n << 256n) {
		throw new Failure("bad_value", `"${text}" is not a slot: a number of at most 256 bits is needed`);
	}
	return BigInt(text);
}

/** Resolves one step into a slot's contents (Solidity's storage layout). */
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
