/** The exact state of a node of this program, at any block it keeps (protocol/json-rpc §18). */

import { fromKey, toKey } from "../../protocol/bytes.js";
import type { StoreDefinition } from "../state/definition.js";
import { isAnswerObject, type SourceClient } from "./source-client.js";
import { type EncodedValues, type EntryName, ForkReadError, type StateSource } from "./state-source.js";

const ENTRIES_A_REQUEST = 1_000;
/** A network's largest ordered store has some hundred thousand keys. */
const MAX_KEYS = 4_000_000;
/** Pages may be short if many former keys are skipped. */
const MAX_PAGES = 20_000;
/** A source may send entries in parts, each within the request timeout, but the node sleeps meanwhile. */
const MAX_MS = 60_000;
const ENCODING = { encoding: "base64" };

const base64 = (key: string): string => Buffer.from(fromKey(key)).toString("base64");

export class OwnSource implements StateSource {
	readonly name: string;
	readonly mostEntries = ENTRIES_A_REQUEST;

	/**
	 * @param blockId 64 hex digits; detects a block that has left the chain
	 * @param clock monotonic ms
	 */
	constructor(
		private readonly client: SourceClient,
		private readonly blockId: string,
		private readonly clock: () => number = () => performance.now(),
	) {
		this.name = client.name;
	}

	has(): boolean {
		return true;
	}

	entries(wanted: readonly EntryName[]): EncodedValues {
		const values: (Uint8Array | undefined)[] = [];
		const endsAt = this.clock() + MAX_MS;
		while (values.length < wanted.length) {
			if (this.clock() > endsAt) throw this.slow(wanted.length);
			const part = this.part(wanted, values.length);
			values.push(...this.read(this.client.now("coin_getState", part, this.blockId, ENCODING), part.length));
		}
		return values;
	}

	async entriesLater(wanted: readonly EntryName[]): Promise<EncodedValues> {
		const values: (Uint8Array | undefined)[] = [];
		const endsAt = this.clock() + MAX_MS;
		while (values.length < wanted.length) {
			if (this.clock() > endsAt) throw this.slow(wanted.length);
			const part = this.part(wanted, values.length);
			const answer = await this.client.later("coin_getState", part, this.blockId, ENCODING);
			values.push(...this.read(answer, part.length));
		}
		return values;
	}

	private part(wanted: readonly EntryName[], from: number): readonly (readonly [string, string])[] {
		return wanted.slice(from, from + ENTRIES_A_REQUEST).map(({ store, key }) => [store.name, base64(key)]);
	}

	/** @throws {ForkReadError} */
	private read(answer: unknown, asked: number): EncodedValues {
		const values = isAnswerObject(answer) ? answer["values"] : undefined;
		if (!Array.isArray(values) || values.length === 0 || values.length > asked) throw this.strange();
		return values.map((value: unknown) => {
			if (value === null) return undefined;
			if (typeof value !== "string") throw this.strange();
			return Buffer.from(value, "base64");
		});
	}

	async keys(store: StoreDefinition<unknown>): Promise<readonly string[]> {
		const keys: string[] = [];
		let after: string | null = null;
		for (let pages = 0; pages < MAX_PAGES; pages++) {
			const page = await this.client.later("coin_getStateKeys", store.name, after, this.blockId, ENCODING);
			const { found, next } = this.readPage(page);
			for (const key of found) keys.push(key);
			if (keys.length > MAX_KEYS) {
				throw new ForkReadError(
					`the store ${store.name} of the fork's source ${this.name} has more than ${MAX_KEYS} entries: no fork holds as many`,
				);
			}
			if (next === null) return keys;
			if (typeof next !== "string" || next === after) throw this.strange();
			after = next;
		}
		throw this.strange();
	}

	async keysWith(store: StoreDefinition<unknown>, prefix: string): Promise<readonly string[]> {
		const options = { ...ENCODING, prefix: base64(prefix) };
		const page = await this.client.later("coin_getStateKeys", store.name, null, this.blockId, options);
		const { found } = this.readPage(page);
		if (found.some((key) => !key.startsWith(prefix))) throw this.strange();
		return found;
	}

	private readPage(page: unknown): { readonly found: readonly string[]; readonly next: unknown } {
		const { keys, next } = isAnswerObject(page) ? page : {};
		if (!Array.isArray(keys) || !keys.every((key) => typeof key === "string")) throw this.strange();
		return { found: keys.map((key: string) => toKey(Buffer.from(key, "base64"))), next };
	}

	private slow(entries: number): ForkReadError {
		return new ForkReadError(
			`the fork's source ${this.name} doesn't give ${entries} entries within ${MAX_MS / 1000} s`,
		);
	}

	private strange(): ForkReadError {
		return new ForkReadError(`the fork's source ${this.name} doesn't answer as coin_getState does`);
	}
}
