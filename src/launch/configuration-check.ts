/** Checks what a start with a configuration would run into: doubtful keys, wrong values, ports in use (protocol/command-line §7). */

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

// Advice for when a required part of a network's configuration is missing.

const GENESIS_ADVICE =
	"it names the first block, and with it the network: take the configuration file of that network's own nodes, or name a public network: --network main, --network nile";

/** Advice if a configuration file or one of its keys is missing; undefined for any other error. */
export function missingPartHint({ missing: { key, file } }: ConfigError): string | undefined {
	if (file !== undefined)
		return "-c names the configuration file of the network, and --network main or nile a public one without a file; examples/network-node.conf of this package is one to begin with";
	if (key === undefined) return undefined;
	if (key === "storage")
		return `the section storage is missing: add storage { db.directory = "database" }; genesis.block belongs there too: ${GENESIS_ADVICE}; a file for a development chain says dev.enabled = true instead`;
	if (key.startsWith("genesis.block")) return `genesis.block is incomplete without it; ${GENESIS_ADVICE}`;
	return `the file lacks the line ${key} = …`;
}

/** Whether a configuration file defines a genesis block. */
const hasGenesis = (settings: NodeConfig["settings"]): boolean =>
	settings.some(({ path, line }) => path.startsWith("genesis.block") && line !== undefined);

/**
 * Checks the genesis for the account that receives fees while burning is off.
 * @returns why the node can't start without it; undefined if it isn't missing
 */
export function blackHoleGap({ genesis, node, dev, settings }: NodeConfig): string | undefined {
	if (!hasGenesis(settings) || dev.enabled || !admissionOf(node).needsBlackHole) return undefined;
	const isNamed = genesis.assets.some(({ accountName }) => accountName === "Blackhole");
	return isNamed ? undefined : "Account[Blackhole] is not configured.";
}

/** A warning about a configuration without a genesis block: a node can start with it, but is alone on its chain. */
export function genesisGap(config: NodeConfig): string | undefined {
	if (hasGenesis(config.settings) || config.dev.enabled) return undefined;
	return `genesis.block is missing: no account of the chain could act or make blocks, and no network knows it; ${GENESIS_ADVICE}`;
}

export interface Finding {
	/** An error prevents a node from starting. */
	readonly level: "error" | "warning";
	/** File and line, port or directory. */
	readonly place: string;
	readonly message: string;
}

/**
 * Performs the checks of a start without starting.
 * @param dataDirectory only inspected if it exists
 */
export async function checkConfiguration(source: ConfigSource, dataDirectory: string): Promise<Checked> {
	const { config, errors, ignored } = await readAll(source);
	if (config === undefined) return { findings: errors, chain: undefined };
	const chain = config.dev.enabled ? undefined : chainTitle(genesisId(config.genesis));
	return { findings: await findingsOf(source, config, errors, ignored, dataDirectory), chain };
}

/** The findings, and the configuration's network as named in messages; undefined if it can't be determined. */
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

/** Lists the signer's keys. A witness does so before it starts, and waits for an unavailable signer; other nodes start without it. */
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
	/** Producers with the signer's keys; empty if it couldn't be reached. */
	readonly producers: readonly Producer[];
}

/** Findings on signer keys that don't belong to a witness in the newest state of the database, or else in the genesis block. */
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

/** More than anyone would fix at once. */
const MAX_ERRORS = 100;

/**
 * Reads a file as far as possible: an invalid value is reported, and then left out to continue.
 * @returns no configuration if something can't be left out; the errors then also include unknown keys
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
			// The missing key may be one that was left out.
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
	// The file is missing, or isn't HOCON.
	if (path === undefined && missing.key === undefined) return [];
	return unknownKeysOf(file).map(({ path: key, line }) => warningAt(`${file}:${line}`, unknownKeyText(key)));
}

/** The message about an unknown key, with the key that was probably meant. */
function unknownKeyText(path: string): string {
	const parent = path.slice(0, path.lastIndexOf(".") + 1);
	const known = allSettings
		.map((setting) => setting.path)
		.filter((key) => key.startsWith(parent) && !key.includes("*"))
		.map((key) => key.slice(parent.length));
	const [near] = nearest(path.slice(parent.length), known, 1);
	return `unknown key ${path}${near ? `; did you mean ${parent}${near}?` : ""}`;
}

/** Warnings of a start about configuration keys; `coin node check` reports more about keys without effect. */
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

/** What `/health` says, too, where everybody reads it. */
export const IDLE_SIGNER = "localwitness.signer has no effect: no block is made without --witness";

/** A warning about a signer that nobody asks; undefined if there is none, or the node produces. */
export function idleSignerWarning({ file, run, settings }: NodeConfig): string | undefined {
	const signer = settings.find(({ path, line }) => path === "localwitness.signer" && line !== undefined);
	if (run.witness || signer === undefined) return undefined;
	return `${file}:${signer.line}: ${IDLE_SIGNER}`;
}

/** A warning about keys of the file that a development chain ignores; undefined if there are none. */
export function developmentWarning(config: NodeConfig): string | undefined {
	const others = config.settings.filter(({ path, line }) => line !== undefined && !TAKEN_SETTINGS.test(path));
	if (others.length === 0) return undefined;
	const names = others.map(({ path }) => path).join(", ");
	return `a development chain takes only dev, event.subscribe, node.history and log.level from ${config.file}; without effect: ${names}`;
}

/** Checks that the configured ports are available. @param free ports in use that will be released */
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

/** What a start would lack if the stored chain requires proofs; undefined if nothing. */
function missingProofs({ node }: NodeConfig, database: KeyValueDatabase): string | undefined {
	const { parameters, allowsUnverified, verifiesProofs } = node.shielded;
	const asks = (["ALLOW_SHIELDED_TRANSACTION", "ALLOW_SHIELDED_ORC20_TRANSACTION"] as const).some((name) =>
		database.get(Buffer.of(stores.properties.index, ...utf8(propertyKey(name))))?.some((byte) => byte !== 0),
	);
	return asks && parameters === undefined && !allowsUnverified && verifiesProofs
		? PROOFS_UNCHECKED
		: undefined;
}

/** Why the keys for verifying proofs can't be loaded; undefined if they can, or none are configured. */
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

/** Findings about a public network's node that would start with an empty chain. */
async function beginningFindings({ publicNetwork }: NodeConfig, dataDirectory: string): Promise<Finding[]> {
	const advice = publicNetwork && (await adviceOnBeginning(publicNetwork, 0n));
	if (!advice) return [];
	return [warningAt(dataDirectory, `holds no chain yet: ${advice.message}`)];
}

/** A warning if a public network's proof verification, which is needed sooner or later, isn't configured. */
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

/** The configuration as read by a block producer, or why it can't be; undefined if it has no keys. */
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
