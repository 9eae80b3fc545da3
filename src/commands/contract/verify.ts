import { Flags } from "@oclif/core";
import { type AbiView, decodeValues, keyedValues } from "../../abi/coder.js";
import { giveSource } from "../../launch/source-work.js";
import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { query } from "../../terminal/base/command-row.js";
import {
	type CompiledSources,
	compilerFlag,
	compilerSettingFlags,
	compilerSettings,
	contractsFrom,
	namedSources,
} from "../../terminal/contract/compiler-input.js";
import { contractArgument, keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { map, one, record } from "../../terminal/schema/result-shape.js";
import { constructorOf, interfaceOf } from "../../wallet/abi/interface.js";
import {
	type Comparison,
	compareCode,
	constructorArguments,
	isUnlistedImmutable,
} from "../../wallet/compiler/comparison.js";
import { type CompiledContract, contractsNamed } from "../../wallet/compiler/output.js";
import { keepInterface } from "../../wallet/configuration/own-interfaces.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord, type JsonRecord, member, writeWireJson } from "../../wallet/json.js";
import { callJsonRpc, developmentUrl } from "../../wallet/node/json-rpc.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { fetchDevelopmentInfo } from "../../wallet/transaction/impersonation.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { fetchContract } from "../../wallet/view/contract-record.js";

const verifyFlags = {
	...nodeFlags,
	...keystoreFlags,
	...compilerFlag,
	...compilerSettingFlags,
	source: Flags.string({
		description:
			"Solidity file, also with the contract's name as Token.sol:Token (repeatable), or one file of JSON: standard input or output of a compiler, artifact, build file of hardhat",
		helpValue: "<path>",
		required: true,
		multiple: true,
		multipleNonGreedy: true,
		helpGroup: "CONTRACT",
	}),
	contract: Flags.string({
		description: "its name in the sources, as Name or file:Name (default: any that matches)",
		helpValue: "<name>",
		helpGroup: "CONTRACT",
	}),
	store: Flags.boolean({
		description:
			"store sources, compiler and interface with the node: a development chain, or that of --output-directory",
		helpGroup: "CONTRACT",
	}),
	"output-directory": Flags.string({
		char: "d",
		description: "with --store: data directory of the node, which runs on this machine",
		helpValue: "<dir>",
		dependsOn: ["store"],
		helpGroup: "CONTRACT",
	}),
};

export const ContractVerify = query({
	summary: "Compare a deployed contract with its sources",
	description:
		"Compiles the sources, or reads what a compiler or toolchain wrote, and compares with the code on the chain. " +
		"Metadata, immutable values and addresses of libraries are left aside; match is exact where even the metadata " +
		"is the same. The compiler is the package solc of the sources' project, or what is installed beside this program; " +
		"it must have the version and settings with which the contract was made. Interface and layout of storage are kept for " +
		"later calls, in place of what was kept of the contract before. With --store the node keeps the sources " +
		"(/v1/contracts/<address>/source) and decodes events of the contract by them.",
	examples: [
		"<%= config.bin %> contract verify store --source Store.sol --optimizer-runs 200 --evm-version istanbul --solc 0.8.37",
		"<%= config.bin %> contract verify store --source standard-input.json --contract Store",
		"<%= config.bin %> contract verify store --source standard-input.json --store",
	],
	args: contractArgument,
	result: one(
		record({
			address: "address",
			contract: "text",
			match: "text",
			"stored?": "boolean",
			"compiler?": "text",
			"immutables?": map("hex"),
			"libraries?": map("address"),
			"constructor?": map("any"),
		}),
	),
	flags: verifyFlags,
	run: async ({ args, flags, settings, client, chatty, print }) => {
		const address = await accountNamed(settings, args.address);
		const { runtimecode, smart_contract: stored } = await fetchContract(client, address);
		const { paths, name } = namedSources(flags.source, flags.contract);
		const { contracts, compiler, input } = await withProgress("compiling", chatty, () =>
			contractsFrom(paths, flags.solc, compilerSettings(flags), flags.store),
		);
		const candidates = contractsNamed(contracts, name).filter(hasCode);
		const compared = candidates.map((contract) => ({
			contract,
			comparison: compareCode(contract.runtime, runtimecode),
		}));
		const found =
			compared.find(({ comparison }) => comparison.match === "exact") ??
			compared.find(({ comparison }) => comparison.match !== undefined);
		if (!found) throw mismatch(compared, runtimecode, compiler);
		const { contract, comparison } = found;
		const { immutables, libraries } = comparison;
		if (flags.store) {
			const record = sourceRecord(contract, comparison.match, compiler, input);
			await store(client, address, record, flags["output-directory"]);
		}
		if (contract.abi !== undefined)
			await keepInterface(settings, address, contract.abi, contract.storageLayout);
		print.record({
			address: toBase58Check(address),
			contract: contract.name,
			match: comparison.match,
			...(flags.store ? { stored: true } : {}),
			compiler: compiler ?? comparison.deployedBy,
			immutables:
				immutables.size > 0
					? Object.fromEntries([...immutables].map(([name, bytes]) => [name, `0x${toHex(bytes)}`]))
					: undefined,
			libraries:
				libraries.size > 0
					? Object.fromEntries(
							[...libraries].map(([name, bytes]) => [name, toBase58Check(addressFromHash(bytes))]),
						)
					: undefined,
			constructor: constructorView(contract, stored?.bytecode ?? new Uint8Array(0)),
		});
	},
});

/**
 * Compares a just deployed contract with its compiled code, and stores its source on a development chain.
 * @returns `verified`: how they match, or `none`; `stored` if the source was
 * @throws {Failure} `not_found` before a block has the code
 */
export async function storeDeployed(
	client: NodeClient,
	address: Uint8Array,
	contract: CompiledContract,
	{ compiler, input }: CompiledSources,
): Promise<{ readonly verified?: string; readonly stored?: boolean }> {
	if (!hasCode(contract)) return {};
	const { runtimecode } = await fetchContract(client, address);
	const { match } = compareCode(contract.runtime, runtimecode);
	if (match === undefined) return { verified: "none" };
	try {
		await store(client, address, sourceRecord(contract, match, compiler, input), undefined);
		return { verified: match, stored: true };
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		return { verified: match };
	}
}

/** @param directory data directory of a local node; undefined: store it on a development chain */
async function store(
	client: NodeClient,
	address: Uint8Array,
	record: string,
	directory: string | undefined,
): Promise<void> {
	if (directory !== undefined) return giveSource(directory, address, record);
	// Sources are sent to the contract's own chain only, and only if it is a development chain.
	await fetchDevelopmentInfo(client);
	const params = [toHex(address), record];
	await callJsonRpc(client, "dev_setContractSource", params, developmentUrl(client.settings));
}

/** A contract's record at the node (protocol/history §7). @throws {Failure} `bad_value` without sources */
function sourceRecord(
	contract: Compiled,
	match: string | undefined,
	compiler: string | undefined,
	input: JsonRecord | undefined,
): string {
	if (!input || compiler === undefined || match === undefined) {
		throw new Failure("bad_value", "--store needs sources, not what a compiler made of them", {
			hint: "give the Solidity files, or the compiler's standard input",
		});
	}
	const sources = isRecord(input["sources"]) ? input["sources"] : {};
	const texts = Object.entries(sources).map(([file, source]) => [
		file,
		member(isRecord(source) ? source : {}, "content"),
	]);
	return writeWireJson({
		contract: contract.name,
		compiler,
		match,
		language: input["language"],
		settings: input["settings"],
		sources: Object.fromEntries(texts),
		abi: contract.abi ?? [],
		...(isRecord(contract.storageLayout) ? { storage_layout: contract.storageLayout } : {}),
	});
}

type Compiled = CompiledContract & { readonly runtime: NonNullable<CompiledContract["runtime"]> };

/** Interfaces and abstract contracts have no code. */
function hasCode(contract: CompiledContract): contract is Compiled {
	return contract.runtime !== undefined && contract.runtime.bytes.length > 0;
}

function mismatch(
	compared: readonly { readonly contract: Compiled; readonly comparison: Comparison }[],
	deployed: Uint8Array,
	compiler: string | undefined,
): Failure {
	if (compared.length === 0) return new Failure("bad_value", "the sources hold no contract with code");
	const [{ comparison, contract }] = [...compared].sort(
		(a, b) => (b.comparison.differsAt ?? 0) - (a.comparison.differsAt ?? 0),
	) as [(typeof compared)[number]];
	const { differsAt, deployedBy } = comparison;
	const other = deployedBy !== undefined && compiler !== undefined && !compiler.startsWith(`${deployedBy}+`);
	return new Failure(
		"code_mismatch",
		`the code on the chain is not that of ${contract.name || "the file"}: it differs from byte ${differsAt} of ${deployed.length}`,
		{
			hint: other
				? `it was made by solc ${deployedBy}, this is ${compiler}: try --solc ${deployedBy}`
				: isUnlistedImmutable(contract.runtime, differsAt ?? 0)
					? "a value that the constructor sets stands there, and the file has no immutableReferences, which say so: give the whole artifact, the build-info file or the sources"
					: "try other settings: --optimizer-runs, --evm-version, --via-ir, --solc",
			details: {
				compiled: compared.map((one) => ({
					contract: one.contract.name,
					size: one.contract.runtime.bytes.length,
					differsAt: one.comparison.differsAt,
				})),
				size: deployed.length,
				compiler,
				deployedBy,
			},
		},
	);
}

/** The constructor's arguments, if the creation code matches the compiled one. */
function constructorView(
	{ creation, abi }: CompiledContract,
	deployed: Uint8Array,
): { readonly [name: string]: AbiView } | undefined {
	const given = creation && constructorArguments(creation, deployed);
	if (!given || given.length === 0 || abi === undefined) return undefined;
	const { inputs } = constructorOf(interfaceOf(abi));
	if (inputs.length === 0) return { data: `0x${toHex(given)}` };
	return keyedValues(inputs, decodeValues(inputs, given));
}
