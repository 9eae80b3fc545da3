/** A development chain's whole state as one value (protocol/development-chain §4.4): a header, and every store's rows. */

import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { fromHex, fromKey, toHex, toKey, utf8 } from "../../protocol/bytes.js";
import { OperatorError } from "../../protocol/operator-error.js";
import type { EncodedEntries, OpenChain } from "../chain/open-chain.js";
import { chainParameters } from "../consensus/parameters.js";
import { type StoreDefinition, storeDefinitions } from "../state/definition.js";

const FORMAT = "coin-state";
const VERSION = 1;

interface StateFile {
	readonly format: string;
	readonly v: number;
	/** Id of the genesis block. */
	readonly genesis: string;
	readonly head: string;
	/** By message name, for human readers; the rows contain them too. */
	readonly parameters: Readonly<Record<string, string>>;
	/** Store → key → value, hexadecimal. */
	readonly stores: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** An invalid dump, or one of another chain. */
export class StateFileError extends OperatorError {
	override readonly name = "StateFileError";
}

/** Dumps the state without pending transactions. Nothing may be sealed meanwhile. @returns gzip */
export async function dumpState(open: OpenChain): Promise<Uint8Array> {
	refuseFork(open);
	const { chain, database, rules } = open;
	const waiting = chain.suspend();
	try {
		const stores: Record<string, Record<string, string>> = {};
		for (const store of storeDefinitions) {
			const rows: Record<string, string> = {};
			for await (const [key, value] of database.dump(store)) rows[toHex(fromKey(key))] = toHex(value);
			stores[store.name] = rows;
		}
		const { properties } = chain.state;
		const file: StateFile = {
			format: FORMAT,
			v: VERSION,
			genesis: toHex(rules.genesisId),
			head: properties.headNumber.toString(),
			parameters: Object.fromEntries(
				chainParameters.map(({ name, property }) => [name, properties.get(property).toString()]),
			),
			stores,
		};
		return await promisify(gzip)(utf8(JSON.stringify(file)));
	} finally {
		// More may have arrived while rows were read.
		chain.resume([...waiting, ...chain.suspend()]);
	}
}

/**
 * Replaces the state by a dump. Nothing may be sealed meanwhile.
 * @throws {StateFileError} and nothing is changed
 */
export async function loadState(open: OpenChain, dump: Uint8Array): Promise<void> {
	refuseFork(open);
	const file = await readStateFile(dump);
	const genesis = toHex(open.rules.genesisId);
	if (file.genesis !== genesis) {
		throw new StateFileError(`the dump is of the chain ${file.genesis}, not of ${genesis}`);
	}
	const entries = new Map<StoreDefinition<unknown>, EncodedEntries>();
	for (const [name, rows] of Object.entries(file.stores)) {
		const store = storeDefinitions.find((definition) => definition.name === name);
		if (!store) throw new StateFileError(`the dump has rows of an unknown store ${name}`);
		const decoded = new Map<string, Uint8Array>();
		for (const [key, value] of Object.entries(rows)) decoded.set(toKey(fromHex(key)), fromHex(value));
		entries.set(store, decoded);
	}
	await open.replaceState(entries);
}

/** @throws {StateFileError} */
function refuseFork({ isFork }: OpenChain): void {
	if (!isFork) return;
	throw new StateFileError(
		"a fork's state can't be a file: most of it lies at the other node; a data directory (-d) keeps a fork, and snapshots go back",
	);
}

/** The gzip of a dump, also from the JSON line that `dev_dumpState` returns. @throws {SyntaxError} */
function packed(dump: Uint8Array): Uint8Array {
	const [first] = dump;
	if (first !== 0x7b) return dump;
	const { data } = JSON.parse(Buffer.from(dump).toString("utf8")) as { readonly data?: unknown };
	if (typeof data !== "string") throw new SyntaxError("its line of JSON has no data");
	return Buffer.from(data, "base64");
}

async function readStateFile(dump: Uint8Array): Promise<StateFile> {
	let file: Partial<StateFile>;
	try {
		const text = Buffer.from(await promisify(gunzip)(packed(dump))).toString("utf8");
		file = JSON.parse(text) as Partial<StateFile>;
	} catch (error) {
		throw new StateFileError(`the dump can't be read: ${error instanceof Error ? error.message : ""}`);
	}
	if (file.format !== FORMAT || file.v !== VERSION || typeof file.stores !== "object") {
		throw new StateFileError(`the dump is not a state of version ${VERSION}`);
	}
	return file as StateFile;
}
