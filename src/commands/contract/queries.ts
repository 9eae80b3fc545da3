/** `coin contract …`: information about contracts. */

import { Flags, type Interfaces } from "@oclif/core";
import { type AbiItem, describeItem, isComplete } from "../../abi/parameter.js";
import { selectorOf, topicOf } from "../../abi/selector.js";
import { contractAddress, saltedContractAddress, toBase58Check } from "../../protocol/address.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { command, query } from "../../terminal/base/command-row.js";
import { parseTransactionId } from "../../terminal/base/node-questions.js";
import { abiFlag, flagText, interfaceFlag } from "../../terminal/contract/contract-input.js";
import { blockFlag, contractArgument, keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import { printJson, printLine } from "../../terminal/output/output.js";
import { orNull, record } from "../../terminal/schema/result-shape.js";
import { identifierOf, soliditySource, typescriptSource } from "../../wallet/abi/interface-source.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import type { Json } from "../../wallet/json.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { addressForms } from "../../wallet/values/address-text.js";
import { parseHexBytes } from "../../wallet/values/bytes-text.js";
import {
	fetchContract,
	interfaceThroughProxy,
	proxyOf,
	storedInterface,
} from "../../wallet/view/contract-record.js";

export const ContractAbi = query({
	summary: "Print what is known of a contract's interface",
	description:
		"The interface that you have kept, that of stored sources, that of the contract's record, in this order. A list as compilers " +
		"write it, which --abi of other commands reads; with --human a line for each entry.",
	examples: ["<%= config.bin %> contract abi store --human"],
	args: contractArgument,
	flags: {
		...nodeFlags,
		...keystoreFlags,
		human: Flags.boolean({ description: "signatures, with selectors and topics", exclusive: ["json"] }),
	},
	run: async ({ args, flags, settings }) => {
		const items = await storedInterface(new NodeClient(settings), await accountNamed(settings, args.address));
		if (!flags.human) {
			return printJson(items.map(entryOf));
		}
		for (const item of items) {
			const hash = !isComplete(item.inputs)
				? ""
				: item.kind === "event"
					? toHex(topicOf(item))
					: item.kind === "function" || item.kind === "error"
						? toHex(selectorOf(item))
						: "";
			printLine(`${describeItem(item)}${hash === "" ? "" : `  0x${hash}`}`);
		}
	},
});

/** An interface entry in compiler format. */
function entryOf({ kind, name, inputs, outputs, mutability, anonymous }: AbiItem): object {
	return {
		type: kind,
		...(name === "" ? {} : { name }),
		inputs,
		...(outputs === undefined ? {} : { outputs }),
		...(mutability === undefined ? {} : { stateMutability: mutability }),
		...(anonymous === undefined ? {} : { anonymous }),
	};
}

export const ContractInterfaceCommand = query({
	summary: "Print a contract's interface as source text",
	description:
		"An interface of Solidity with structures for tuples, or with --typescript a constant that coin/wallet and viem infer types " +
		"from. The interface is the one that contract abi prints, with that of the contract behind a proxy.",
	examples: [
		"<%= config.bin %> contract interface store > IStore.sol",
		"<%= config.bin %> contract interface store --typescript",
	],
	args: contractArgument,
	flags: {
		...nodeFlags,
		...keystoreFlags,
		...abiFlag,
		typescript: Flags.boolean({ description: "TypeScript instead of Solidity" }),
		name: Flags.string({
			description: "what it is called (default: by the contract's name)",
			helpValue: "<name>",
		}),
	},
	run: async ({ args, flags, settings, client, print }) => {
		const address = await accountNamed(settings, args.address);
		const items =
			(await interfaceFlag(flags.abi, settings, client)) ?? (await interfaceThroughProxy(client, address));
		const { smart_contract: contract } = await fetchContract(client, address);
		const called = identifierOf(flags.name ?? contract?.name ?? "", "Contract");
		if (flags.typescript) {
			const name =
				flags.name === undefined ? `${called.charAt(0).toLowerCase()}${called.slice(1)}Abi` : called;
			return print.scalar(typescriptSource(name, items.map(entryOf) as Json[]));
		}
		print.scalar(soliditySource(flags.name === undefined ? `I${called}` : called, items));
	},
});

const addressFlags = {
	...keystoreFlags,
	create: Flags.string({ description: "id of the deploying transaction", helpValue: "<txID>" }),
	owner: Flags.string({ description: "account that sent it", helpValue: "<account>" }),
	create2: Flags.boolean({ description: "made by CREATE2", exclusive: ["create", "owner"] }),
	deployer: Flags.string({ description: "contract that makes it", helpValue: "<account>" }),
	salt: Flags.string({ description: "number or 0x…, at most 32 bytes" }),
	code: Flags.string({ description: "its creation code: 0x… or @file of hex", exclusive: ["code-hash"] }),
	"code-hash": Flags.string({ description: "hash of that code", helpValue: "<0x…>" }),
};

export const ContractAddress = command({
	summary: "Work out the address of a contract before or after it exists",
	description:
		"By the transaction that deploys it and its owner, or by deployer, salt and code of an operation CREATE2.",
	examples: [
		"<%= config.bin %> contract address --create 4f0c… --owner alice",
		"<%= config.bin %> contract address --create2 --deployer store --salt 1 --code @Store.bin",
	],
	flags: addressFlags,
	run: async ({ flags, settings, json, print }) => {
		const forms = addressForms(await workedOut(await settings(), flags));
		if (json) print.record(forms);
		else print.scalar(forms.base58);
	},
});

async function workedOut(
	settings: Settings,
	flags: Interfaces.InferredFlags<typeof addressFlags>,
): Promise<Uint8Array> {
	const { create, owner, create2, deployer, salt, code, "code-hash": hash } = flags;
	if (!create2) {
		if (create === undefined || owner === undefined) {
			throw new Failure(
				"usage",
				"name the transaction and its sender with --create and --owner, or use --create2",
			);
		}
		return contractAddress(parseTransactionId(create), await accountNamed(settings, owner));
	}
	if (deployer === undefined || salt === undefined || (code === undefined && hash === undefined)) {
		throw new Failure("usage", "--create2 needs --deployer, --salt, and --code or --code-hash");
	}
	const codeHash =
		hash === undefined
			? keccak256(parseHexBytes(await flagText(code as string, "the code")))
			: parseHexBytes(hash);
	if (codeHash.length !== 32) throw new Failure("bad_value", "--code-hash has 32 bytes");
	return saltedContractAddress(await accountNamed(settings, deployer), saltWord(salt), codeHash);
}

function saltWord(text: string): Uint8Array {
	if (!/^(\d+|0x[0-9a-f]+)$/i.test(text) || BigInt(text) >= 1n << 256n) {
		throw new Failure("bad_value", `--salt "${text}": a number of at most 256 bits is needed`);
	}
	return fromHex(BigInt(text).toString(16).padStart(64, "0"));
}

export const ContractCode = query({
	summary: "Print the code of a contract",
	examples: ["<%= config.bin %> contract code store"],
	args: contractArgument,
	flags: {
		...nodeFlags,
		...blockFlag,
		...keystoreFlags,
		creation: Flags.boolean({ description: "the code that was deployed, with the constructor's arguments" }),
		size: Flags.boolean({ description: "print its size in bytes" }),
	},
	run: async ({ args, flags, settings, client, print }) => {
		const { runtimecode, smart_contract: contract } = await fetchContract(
			client,
			await accountNamed(settings, args.address),
		);
		const code = flags.creation ? (contract?.bytecode ?? new Uint8Array(0)) : runtimecode;
		print.scalar(flags.size ? code.length : `0x${toHex(code)}`);
	},
});

export const ContractShow = query({
	summary: "Show a contract: owner, settings, size, use of energy",
	examples: ["<%= config.bin %> contract show store"],
	args: contractArgument,
	result: orNull(
		record({
			address: "address",
			"name?": "text",
			"owner?": "address",
			callerPercent: "integer",
			"originEnergyLimit?": "int64",
			"codeHash?": "hex",
			codeSize: "integer",
			"version?": "integer",
			entries: "integer",
			"energyUsage?": "int64",
			"energyFactor?": "int64",
			"proxy?": "text",
			"implementation?": "address",
			"beacon?": "address",
			"admin?": "address",
		}),
	),
	flags: {
		...nodeFlags,
		...blockFlag,
		...keystoreFlags,
		"or-null": Flags.boolean({ description: "print null if there is no contract" }),
	},
	run: async ({ args, flags, settings, client, print, note }) => {
		const address = await accountNamed(settings, args.address);
		try {
			const {
				smart_contract: contract,
				runtimecode,
				contract_state: state,
			} = await fetchContract(client, address);
			const proxy = await proxyOf(client, address, runtimecode).catch((error: Failure) => {
				if (error.code !== "not_served") throw error;
				note(error.message);
				return undefined;
			});
			print.record({
				address: toBase58Check(address),
				name: contract?.name || undefined,
				owner: contract && toBase58Check(contract.origin_address),
				callerPercent: Number(contract?.consume_user_resource_percent ?? 0n),
				originEnergyLimit: contract?.origin_energy_limit,
				codeHash: contract && contract.code_hash.length > 0 ? toHex(contract.code_hash) : undefined,
				codeSize: runtimecode.length,
				version: contract?.version,
				entries: contract?.abi?.entrys.length ?? 0,
				energyUsage: state?.energy_usage,
				energyFactor: state?.energy_factor,
				proxy: proxy?.kind,
				implementation: proxy && toBase58Check(proxy.implementation),
				beacon: proxy?.beacon && toBase58Check(proxy.beacon),
				admin: proxy?.admin && toBase58Check(proxy.admin),
			});
		} catch (error) {
			if (!flags["or-null"] || !(error instanceof Failure) || error.code !== "not_found") throw error;
			print.scalar(null);
		}
	},
});
