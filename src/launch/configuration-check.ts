/** What a start with a configuration would meet: doubtful keys, wrong values, ports in use (protocol/command-line §7). */

import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import {
	checkMeta,
	directoryProblem,
	logDirectory,
	openDataDirectory,
	readLogStart,
	readMeta,
	refuseReferenceData,
} from "../node/chain/data-directory.js";
import { PROOF_CHOICE, PROOFS_UNCHECKED, proofGap } from "../node/chain/open-chain.js";
import type { Producer } from "../node/chain/packing.js";
import { ConfigError, type NodeConfig, unknownKeysOf } from "../node/config/config.js";
import { genesisId } from "../node/config/genesis-config.js";
import { allSettings } from "../node/config/settings-table.js";
import { NoWitnessKeysError } from "../node/config/witness-keys.js";
import { refuseDevelopmentDirectory } from "../node/development/directory.js";
import { adviceOnBeginning, signerGap } from "../node/node-notices.js";
import { admissionOf } from "../node/rules/admission.js";
import { loadVerifyingKeys } from "../node/shielded/parameters.js";
import type { KeyValueDatabase } from "../node/state/database.js";
import { stores } from "../node/state/definition.js";
import { propertyKey } from "../node/state/property-table.js";
import { equalBytes, utf8 } from "../protocol/bytes.js";
import { Account } from "../protocol/messages.js";
import { OperatorError } from "../protocol/operator-error.js";
import { witnessSigningAddress } from "../protocol/permission.js";
import { chainTitle } from "../protocol/public-networks.js";
import { nearest } from "../wallet/values/suggestion.js";
import { type ConfigSource, readConfig } from "./config-source.js";
import { TAKEN_SETTINGS } from "./development-options.js";
import { LISTENERS } from "./listeners.js";
import { producersOfSigner } from "./network-options.js";

// What a configuration of a network can't do without, said plainly where it is missing.

const GENESIS_ADVICE =
	"it names the first block, and with it the network: take the configuration file of that network's own nodes, or name a public network: --network main, --network nile";

/** What to do where the file of a configuration or a key of it is missing; undefined for every other refusal. */
export function missingPartHint({ missing: { key, file } }: ConfigError): string | undefined {
	if (file !== undefined)
		return "-c names the configuration file of the network, and --network main or nile a public one without a file; examples/network-node.conf of this package is one to begin with";
	if (key === undefined) return undefined;
	if (key === "storage")
		return `the section storage is missing: add storage { db.directory = "database" }; genesis.block belongs there too: ${GENESIS_ADVICE}; a file for a development chain says dev.enabled = true instead`;
	if (key.startsWith("genesis.block")) return `genesis.block is incomplete without it; ${GENESIS_ADVICE}`;
	return `the file lacks the line ${key} = …`;
}

/** Whether a file has a genesis block. */
const hasGenesis = (settings: NodeConfig["settings"]): boolean =>
	settings.some(({ path, line }) => path.startsWith("genesis.block") && line !== undefined);

/**
 * A network names the account that receives fees while burning is off.
 * @returns why a genesis without it can't be started with; undefined: it has one
 */
export function blackHoleGap({ genesis, node, dev, settings }: NodeConfig): string | undefined {
	if (!hasGenesis(settings) || dev.enabled || !admissionOf(node).needsBlackHole) return undefined;
	const isNamed = genesis.assets.some(({ accountName }) => accountName === "Blackhole");
	return isNamed ? undefined : "Account[Blackhole] is not configured.";
}

/** A warning about a network without a first block; nothing keeps a node from starting with it, alone on its chain. */
export function genesisGap(config: NodeConfig): string | undefined {
	if (hasGenesis(config.settings) || config.dev.enabled) return undefined;
	return `genesis.block is missing: no account of the chain could act or make blocks, and no network knows it; ${GENESIS_ADVICE}`;
}

export interface Finding {
	/** An error keeps a node from starting. */
	readonly level: "error" | "warning";
	/** File and line, port or directory. */
	readonly place: string;
	readonly message: string;
}

/**
 * Goes through what a start goes through, without starting.
 * @param dataDirectory looked into only if it exists
 */
export async function checkConfiguration(source: ConfigSource, dataDirectory: string): Promise<Checked> {
	const { config, errors, ignored } = await readAll(source);
	if (config === undefined) return { findings: errors, chain: undefined };
	const chain = config.dev.enabled ? undefined : chainTitle(genesisId(config.genesis));
	return { findings: await findingsOf(source, config, errors, ignored, dataDirectory), chain };
}

/** What was found, and the network that the configuration is of, as messages name it; undefined: none can be told. */
interface Checked {
	readonly findings: readonly Finding[];
	readonly chain: string | undefined;
}

async function findingsOf(
	source: ConfigSource,
	config: NodeConfig,
	errors: readonly Finding[],
	ignored: readonly string[],
	dataDirectory: string,
): Promise<Finding[]> {
	const { file } = config;
	const unchecked = proofGap(config);
	const witness = await asWitness(source, ignored);
	const refusals = [
		blackHoleGap(config),
		unchecked,
		typeof witness === "string" ? witness : undefined,
		await parametersError(config),
	];
	const signer = typeof witness === "object" ? await askSigner(witness) : { findings: [], producers: [] };
	const gaps = [genesisGap(config), unchecked === undefined ? proofWarning(config) : undefined];
	const development = config.dev.enabled ? developmentWarning(config) : undefined;
	return [
		...errors,
		...given(refusals).map((message) => errorAt(file, message)),
		...given(gaps).map((message) => warningAt(file, message)),
		...config.unknownKeys.map(({ path, line }) => warningAt(`${file}:${line}`, unknownKeyText(path))),
		...config.idleKeys.map(({ path, line, reason }) =>
			warningAt(`${file}:${line}`, `${path} has no effect: ${reason}`),
		),
		...given([development, ...config.warnings]).map((message) => warningAt(file, message)),
		...(typeof witness === "object" ? witness.localWitness.keystores : [])
			.slice(0, 1)
			.filter((keystore) => !existsSync(keystore))
			.map((keystore) =>
				errorAt(keystore, "the witness's key file (localwitnesskeystore) isn't there: --witness fails"),
			),
		...signer.findings,
		...(await checkPorts(config)),
		...(await checkDirectory(config, dataDirectory, signer.producers)),
	];
}

/** A witness asks its signer for its keys before it starts, and waits for one that is away; as any other node it starts without. */
async function askSigner({ file, localWitness }: NodeConfig): Promise<AskedSigner> {
	const { signer } = localWitness;
	if (!signer) return { findings: [], producers: [] };
	const { keysOfSigner, SignerError } = await import("../keystore/signer/client.js");
	try {
		return {
			findings: [],
			producers: await producersOfSigner(signer, await keysOfSigner(signer), localWitness),
		};
	} catch (error) {
		if (!(error instanceof OperatorError)) throw error;
		const isAway = error instanceof SignerError && error.isAway;
		const what = isAway ? "no block is made until one does" : "the start fails";
		return { findings: [warningAt(file, `${error.message}: with --witness ${what}`)], producers: [] };
	}
}

interface AskedSigner {
	readonly findings: readonly Finding[];
	/** With the keys that it has; none where it couldn't be asked. */
	readonly producers: readonly Producer[];
}

/** Whether a signer's keys are of witnesses in the newest state that is in the database, else of the first block's. */
function strangerFindings(
	{ file, genesis }: NodeConfig,
	producers: readonly Producer[],
	database?: KeyValueDatabase,
): Finding[] {
	const stored = ({ index }: { readonly index: number }, key: Uint8Array): Uint8Array | undefined =>
		database?.get(Buffer.of(index, ...key));
	const hasPermissions = stored(stores.properties, utf8(propertyKey("ALLOW_MULTI_SIGN")))?.some(
		(byte) => byte !== 0,
	);
	const gap = signerGap(producers, (account) => {
		const isWitness = database
			? stored(stores.witness, account)
			: genesis.witnesses.some(({ address }) => equalBytes(address, account));
		if (!isWitness) return undefined;
		const bytes = hasPermissions && stored(stores.account, account);
		return bytes ? witnessSigningAddress(Account.decode(bytes)) : account;
	});
	return producers.length > 0 && gap !== undefined ? [warningAt(file, `with --witness ${gap}`)] : [];
}

/** More than anybody corrects at once. */
const MAX_ERRORS = 100;

/**
 * Reads a file as far as it can be read: a value that is refused is reported, and then left out for the rest.
 * @returns no configuration where something can't be left out; the errors tell of keys that no node knows, then, too
 */
async function readAll(source: ConfigSource): Promise<{
	readonly config: NodeConfig | undefined;
	readonly errors: Finding[];
	readonly ignored: readonly string[];
}> {
	const { file } = source;
	const errors: Finding[] = [];
	const ignored: string[] = [];
	for (;;) {
		try {
			return { config: await readConfig(source, { ignored }), errors, ignored };
		} catch (error) {
			if (!(error instanceof ConfigError)) throw error;
			const { path, missing } = error;
			// What was left out may be what is missing now.
			const isReported = missing.key !== undefined && ignored.includes(missing.key);
			const hint = missingPartHint(error);
			if (!isReported)
				errors.push(errorAt(file, hint === undefined ? error.message : `${error.message}; ${hint}`));
			if (path !== undefined && !ignored.includes(path) && errors.length < MAX_ERRORS) ignored.push(path);
			else return { config: undefined, errors: [...errors, ...unknownFindings(file, error)], ignored };
		}
	}
}

function unknownFindings(file: string, { path, missing }: ConfigError): Finding[] {
	// A file that isn't there, or isn't HOCON.
	if (path === undefined && missing.key === undefined) return [];
	return unknownKeysOf(file).map(({ path: key, line }) => warningAt(`${file}:${line}`, unknownKeyText(key)));
}

/** The message on a key that no node reads, with the key that was probably meant. */
function unknownKeyText(path: string): string {
	const parent = path.slice(0, path.lastIndexOf(".") + 1);
	const known = allSettings
		.map((setting) => setting.path)
		.filter((key) => key.startsWith(parent) && !key.includes("*"))
		.map((key) => key.slice(parent.length));
	const [near] = nearest(path.slice(parent.length), known, 1);
	return `unknown key ${path}${near ? `; did you mean ${parent}${near}?` : ""}`;
}

/** What a start tells of the keys of its configuration; `coin node check` tells more of those without effect. */
export function keyWarnings(config: NodeConfig): string[] {
	const { file, unknownKeys, idleKeys } = config;
	const paths = idleKeys.map(({ path }) => path);
	const noEffect = paths.length === 1 ? "1 key has no effect" : `${paths.length} keys have no effect`;
	return [
		...unknownKeys.map(({ path, line }) => `${file}:${line}: ${unknownKeyText(path)}`),
		...(paths.length > 0
			? [`${file}: ${noEffect} here: ${paths.join(", ")} (coin node check says why)`]
			: []),
	];
}

/** Keys of the file that a development chain doesn't take; undefined: it takes all. */
export function developmentWarning(config: NodeConfig): string | undefined {
	const others = config.settings.filter(({ path, line }) => line !== undefined && !TAKEN_SETTINGS.test(path));
	if (others.length === 0) return undefined;
	const names = others.map(({ path }) => path).join(", ");
	return `a development chain takes only dev, event.subscribe, node.history and log.level from ${config.file}; without effect: ${names}`;
}

/** @param free ports that are in use and will be free */
export async function checkPorts(config: NodeConfig, free: readonly number[] = []): Promise<Finding[]> {
	const users = new Map<number, string>();
	const findings: Finding[] = [];
	for (const { of, use, setting } of LISTENERS) {
		const { enabled, port } = of(config);
		if (!enabled || port === 0) continue;
		const other = users.get(port);
		const user = `${use} (${setting})`;
		users.set(port, user);
		if (other !== undefined) findings.push(errorAt(`port ${port}`, `is given twice: ${other}, ${user}`));
		else if (!free.includes(port)) {
			const code = await bindFailure(port);
			if (code === "EADDRINUSE")
				findings.push(
					errorAt(`port ${port}`, `is in use, and wanted for the ${use}: ${setting} sets another`),
				);
			else if (code) findings.push(errorAt(`port ${port}`, `can't be bound for the ${user}: ${code}`));
		}
	}
	return findings;
}

function bindFailure(port: number): Promise<string | undefined> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
		server.listen(port, () => server.close(() => resolve(undefined)));
	});
}

/** What a start would miss on data whose chain asks for proofs; undefined: nothing. */
function missingProofs({ node }: NodeConfig, database: KeyValueDatabase): string | undefined {
	const { parameters, allowsUnverified, verifiesProofs } = node.shielded;
	const asks = (["ALLOW_SHIELDED_TRANSACTION", "ALLOW_SHIELDED_ORC20_TRANSACTION"] as const).some((name) =>
		database.get(Buffer.of(stores.properties.index, ...utf8(propertyKey(name))))?.some((byte) => byte !== 0),
	);
	return asks && parameters === undefined && !allowsUnverified && verifiesProofs
		? PROOFS_UNCHECKED
		: undefined;
}

/** Why the keys that proofs are checked with can't be had; undefined: they can, or none are named. */
async function parametersError({ node }: NodeConfig): Promise<string | undefined> {
	const { parameters, allowsUnverified } = node.shielded;
	if (parameters === undefined || allowsUnverified) return undefined;
	try {
		await loadVerifyingKeys(parameters);
		return undefined;
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		return error.message;
	}
}

async function checkDirectory(
	config: NodeConfig,
	dataDirectory: string,
	producers: readonly Producer[],
): Promise<Finding[]> {
	const beginning = async (): Promise<Finding[]> => [
		...(await beginningFindings(config, dataDirectory)),
		...strangerFindings(config, producers),
	];
	try {
		refuseReferenceData(dataDirectory);
		const path = join(dataDirectory, config.storage.directory);
		const problem = directoryProblem(dataDirectory);
		if (problem !== undefined) return [errorAt(dataDirectory, problem)];
		if (!existsSync(path)) return await beginning();
		refuseDevelopmentDirectory(dataDirectory);
		const database = await openDataDirectory(dataDirectory, config.storage.directory);
		try {
			const meta = await readMeta(database, dataDirectory);
			if (!meta) return await beginning();
			checkMeta(meta, genesisId(config.genesis), dataDirectory);
			const proofs = missingProofs(config, database);
			if (proofs !== undefined) return [errorAt(dataDirectory, proofs)];
			if (readLogStart(database, dataDirectory).segment > 0 && !existsSync(logDirectory(dataDirectory)))
				return [errorAt(dataDirectory, "lacks its block log")];
			return strangerFindings(config, producers, database);
		} finally {
			await database.close();
		}
	} catch (error) {
		if (!(error instanceof OperatorError)) throw error;
		return [errorAt(dataDirectory, error.message)];
	}
}

/** What a public network's node would begin with, which is nothing. */
async function beginningFindings({ publicNetwork }: NodeConfig, dataDirectory: string): Promise<Finding[]> {
	const advice = publicNetwork && (await adviceOnBeginning(publicNetwork, 0n));
	if (!advice) return [];
	return [warningAt(dataDirectory, `holds no chain yet: ${advice.message}`)];
}

/** What a public network needs, sooner or later, and nobody has chosen yet. */
function proofWarning(config: NodeConfig): string | undefined {
	const { parameters, allowsUnverified, verifiesProofs } = config.node.shielded;
	if (!config.publicNetwork || parameters !== undefined || allowsUnverified || !verifiesProofs)
		return undefined;
	return `node.shielded.params is not set: a node of this network stops before the first block that asks for a proof, and doesn't start on data behind it; ${PROOF_CHOICE}`;
}

const errorAt = (place: string, message: string): Finding => ({ level: "error", place, message });

const warningAt = (place: string, message: string): Finding => ({ level: "warning", place, message });

const given = (texts: readonly (string | undefined)[]): readonly string[] =>
	texts.filter((text) => text !== undefined);

/** The configuration as a block producer reads it, or what keeps it from that; undefined: it has no keys. */
async function asWitness(
	source: ConfigSource,
	ignored: readonly string[],
): Promise<NodeConfig | string | undefined> {
	try {
		return await readConfig(source, { witness: true, ignored });
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		return error instanceof NoWitnessKeysError ? undefined : error.message;
	}
}
