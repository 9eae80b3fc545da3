/** A fork as a chain opens it: the other node's state beneath the chain's own database. */

import { concatBytes, fromHex, fromKey } from "../../protocol/bytes.js";
import type { ForkedGenesis, ForkedState } from "../chain/chain-options.js";
import { forkTable, nileForkTable } from "../rules/fork-gates.js";
import type { KeyValueDatabase } from "../state/database.js";
import { type StoreDefinition, storeDefinitions, stores } from "../state/definition.js";
import { propertyKey, propertyNames } from "../state/property-table.js";
import type { ForkFounding } from "./fork-facts.js";
import { orderedKeys, sourceOf } from "./fork-founding.js";
import { ForkedDatabase } from "./forked-database.js";
import { type RequestLimits, type Requests, requestScript, ThreadRequests } from "./requests.js";
import { type EntryName, ForkError } from "./state-source.js";

/** A block has two megabytes at most, an answer of entries eight plus the last one; encoded as text. */
const LIMITS: RequestLimits = { mostBytes: 64 << 20, timeoutMs: 30_000 };
/** An in-memory chain keeps everything it fetched in memory. */
const MAX_IN_MEMORY = 512 << 20;

/** @throws {ForkError} in a program that runs from source */
export function forkRequests(): Requests {
	const script = requestScript();
	if (!script) throw new ForkError("a fork needs the built program");
	return new ThreadRequests(script, LIMITS);
}

export class Fork implements ForkedState {
	readonly genesis: ForkedGenesis;
	private source: { close?(): void } | undefined;

	/** @param isInMemory whether the chain is gone with the process */
	constructor(
		private readonly founding: ForkFounding,
		private readonly requests: Requests,
		private readonly isInMemory: boolean,
	) {
		const { facts } = founding;
		this.genesis = {
			id: fromHex(facts.genesisId),
			blackHole: fromHex(facts.blackHole),
			witnesses: facts.genesisWitnesses.map(({ address, votes }) => ({
				address: fromHex(address),
				votes: BigInt(votes),
			})),
		};
	}

	async under(own: KeyValueDatabase, isNew: boolean): Promise<KeyValueDatabase> {
		const { founding, requests, isInMemory } = this;
		const source = sourceOf(founding, requests);
		this.source = source;
		const place = { number: BigInt(founding.number) };
		const most = isInMemory ? MAX_IN_MEMORY : undefined;
		const database = new ForkedDatabase(own, source, place, !isNew, most);
		if (isNew) {
			database.list(await orderedKeys(source));
			// Prefetches what every block reads, in one request.
			await database.getMany(
				FIRST_READ.map(({ store, key }) => concatBytes(Uint8Array.of(store.index), fromKey(key))),
			);
		}
		return database;
	}

	close(): Promise<void> {
		this.source?.close?.();
		return this.requests.close();
	}
}

const entriesOf = (store: { readonly index: number }, keys: readonly string[]): EntryName[] =>
	keys.map((key) => ({ store: storeDefinitions[store.index] as StoreDefinition<unknown>, key }));

const versions = [...new Set([...forkTable, ...nileForkTable].map(({ version }) => version))];

/** Entries that starts and blocks always read. */
const FIRST_READ: readonly EntryName[] = [
	...entriesOf(stores.properties, propertyNames.map(propertyKey)),
	...entriesOf(
		stores.properties,
		versions.map((version) => `FORK_VERSION_${version}`),
	),
	...entriesOf(stores.upgradeVotes, ["latest", ...versions.map(String)]),
	...entriesOf(stores.witnessSchedule, ["active_witnesses"]),
];
