/** Reads what to deploy: code and interface from flags, or from a file of a compiler or toolchain. */

import { Flags, type Interfaces } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { artifactMember, entriesOf } from "../../wallet/abi/interface.js";
import {
	type CompiledContract,
	chosenContract,
	compiledContracts,
	isStandardOutput,
	linkedCode,
	readCode,
} from "../../wallet/compiler/output.js";
import { unitOf } from "../../wallet/compiler/sources.js";
import { Failure, onRefusal } from "../../wallet/failure.js";
import { givenJson, type Json, type JsonRecord } from "../../wallet/json.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { parseHexBytes } from "../../wallet/values/bytes-text.js";
import { fetchContract } from "../../wallet/view/contract-record.js";
import {
	type CompiledSources,
	compiledJson,
	compilerFlag,
	compilerSettingFlags,
	compilerSettings,
	contractsFrom,
	SOURCE_AND_NAME,
	wholeBuild,
} from "./compiler-input.js";
import { flagText } from "./contract-input.js";

interface Deployable {
	readonly code: Uint8Array;
	/** A list of entries, as written by compilers. */
	readonly abi: Json;
	readonly name: string;
	/** Storage layout of its variables, as written by the compiler. */
	readonly storageLayout?: Json | undefined;
	/** The compiled contract and sources, if it was compiled here. */
	readonly compiled?: { readonly contract: CompiledContract; readonly made: CompiledSources } | undefined;
}

/** The flags that determine what is deployed. */
export const deploymentFlags = {
	...compilerFlag,
	...compilerSettingFlags,
	artifact: Flags.string({
		description:
			"file of a compiler or toolchain with code and interface; standard JSON or a Solidity file, which are compiled; - for standard input",
		helpValue: "<path>",
		exclusive: ["bin", "abi"],
		helpGroup: "CONTRACT",
	}),
	bin: Flags.string({ description: "the code: 0x…, @file of hex, or -", helpGroup: "CONTRACT" }),
	abi: Flags.string({
		description: "the interface, stored with the contract: @file or JSON",
		helpGroup: "CONTRACT",
	}),
	name: Flags.string({
		description: "name of the contract; in a file of several, the one that is meant",
		helpGroup: "CONTRACT",
	}),
	library: Flags.string({
		description: "a library that the code calls, by its name or <file>:<name>, and its contract",
		helpValue: "<name>=<contract>",
		multiple: true,
		helpGroup: "CONTRACT",
	}),
};

/** Addresses of libraries, 21 bytes, by name. */
type Libraries = ReadonlyMap<string, Uint8Array>;

/**
 * The address of a library stays in the code for good: without code there, every call of it would fail.
 * @param address 21 bytes
 * @throws {Failure} `not_found`
 */
export async function checkLibrary(client: NodeClient, address: Uint8Array): Promise<void> {
	const found = await fetchContract(client, address).catch(onRefusal(undefined, "not_found"));
	if (found && found.runtimecode.length > 0) return;
	throw new Failure(
		"not_found",
		`there is no library at ${toBase58Check(address)}: the address has no code`,
		{
			hint: "deploy the library first; with --offline --build nobody is asked",
		},
	);
}

type DeploymentFlags = Interfaces.InferredFlags<typeof deploymentFlags>;

/**
 * Determines what to deploy, and the constructor's arguments.
 * @param words the command's arguments, the first of which may be the source file
 * @param address the 21 bytes of an account that a flag names
 * @throws {Failure} `usage`, `bad_value`
 */
export async function deployable(
	flags: DeploymentFlags,
	words: readonly string[],
	address: (account: string) => Promise<Uint8Array>,
): Promise<{ readonly deployed: Deployable; readonly texts: readonly string[] }> {
	const libraries = new Map<string, Uint8Array>();
	for (const word of flags.library ?? []) {
		const [, library, contract] = /^(.+)=([^=]+)$/.exec(word) ?? [];
		if (library === undefined || contract === undefined)
			throw new Failure("usage", `--library ${word}: write <name>=<contract>`);
		if (libraries.has(library)) throw new Failure("usage", `--library ${library} is given twice`);
		libraries.set(library, await address(contract));
	}
	const [source = "", ...texts] = words;
	if (!SOURCE_AND_NAME.test(source) || flags.artifact !== undefined || flags.bin !== undefined)
		return { deployed: await fromFlags(flags, libraries), texts: words };
	return { deployed: await fromFlags({ ...flags, artifact: source }, libraries), texts };
}

async function fromFlags(flags: DeploymentFlags, libraries: Libraries): Promise<Deployable> {
	const { artifact, bin, abi, name } = flags;
	if (artifact !== undefined) return fromArtifact(artifact, flags, libraries);
	if (bin === undefined) {
		throw new Failure(
			"usage",
			"no code: name a source, such as Token.sol:Token, or give --artifact or --bin",
			{
				hint: "see --help",
			},
		);
	}
	const entries =
		abi === undefined ? [] : entriesOf(givenJson(await flagText(abi, "the interface"), `${abi} is not JSON`));
	if (!entries) throw new Failure("bad_value", `${abi ?? ""} holds no interface`);
	const code = codeOf((await flagText(bin, "the code")).trim(), {}, libraries);
	return { code, abi: entries, name: name ?? "" };
}

async function fromArtifact(path: string, flags: DeploymentFlags, libraries: Libraries): Promise<Deployable> {
	const [, source, name = flags.name] = SOURCE_AND_NAME.exec(path) ?? [];
	const { solc } = flags;
	if (source !== undefined) {
		const file = source.replace(/^@/, "");
		const made = await contractsFrom([file], solc, compilerSettings(flags));
		// What the file imports was compiled, too. It may hold imports alone.
		const unit = unitOf(file, process.cwd());
		const own = made.contracts.filter((one) => one.name.slice(0, one.name.lastIndexOf(":")) === unit);
		const isOwn = name === undefined && own.length > 0;
		return fromContracts(isOwn ? own : made.contracts, file, name, libraries, made);
	}
	const place = path.replace(/^@/, "");
	const text = await flagText(path === "-" ? path : `@${place}`, "the artifact");
	const json = await wholeBuild(givenJson(text, `${path} is not JSON`), place);
	const file = await compiledJson(json, solc, place);
	if (isStandardOutput(file)) return fromContracts(compiledContracts(file), path, name, libraries);
	const abi = artifactMember(file, "abi");
	// Toolchains write the code as text, compilers inside objects.
	const code = [
		artifactMember(file, "bytecode"),
		artifactMember(file, "bytecode", "object"),
		artifactMember(file, "evm", "bytecode", "object"),
		artifactMember(file, "bin"),
		artifactMember(file, "data", "bytecode", "object"),
	].find((value) => typeof value === "string");
	if (typeof code !== "string" || code.replace(/^0x/, "") === "") {
		throw new Failure(
			"bad_value",
			`${path} holds no code: is it the output of a compiler, for one contract?`,
		);
	}
	const entries =
		abi === undefined ? [] : entriesOf(typeof abi === "string" ? givenJson(abi, `${path} is not JSON`) : abi);
	const called = artifactMember(file, "contractName");
	return {
		code: codeOf(code, { linkReferences: artifactMember(file, "linkReferences") ?? null }, libraries),
		abi: entries ?? [],
		name: name ?? (typeof called === "string" ? called : ""),
		storageLayout: artifactMember(file, "storageLayout"),
	};
}

/** Selects a contract by name; without a name, the only one. */
function fromContracts(
	contracts: readonly CompiledContract[],
	path: string,
	name: string | undefined,
	libraries: Libraries,
	made?: CompiledSources,
): Deployable {
	const contract = chosenContract(contracts, name, (full) =>
		made ? `${path}:${full.split(":").at(-1)}` : `--name ${full}`,
	);
	const { name: found, abi, creation, storageLayout } = contract;
	if (!creation || creation.bytes.length === 0) {
		throw new Failure(
			"bad_value",
			`${path} holds no code of ${found}: is it abstract, or was none asked for?`,
		);
	}
	const called = found.split(":").at(-1) ?? "";
	const entries = (abi === undefined ? undefined : entriesOf(abi)) ?? [];
	const compiled = made && { contract, made };
	return { code: linkedCode(creation, libraries), abi: entries, name: called, storageLayout, compiled };
}

function codeOf(text: string, json: JsonRecord, libraries: Libraries): Uint8Array {
	// The reader of arguments names what isn't hexadecimal.
	const code = /__/.test(text) ? linkedCode(readCode(text, json), libraries) : parseHexBytes(text);
	if (code.length === 0) throw new Failure("bad_value", "the code is empty");
	return code;
}
