/** A transaction's changes of contract storage, by variable name if a layout is known. */

import { type LayoutAddresses, type StorageLayout, valueIn, variablesAt } from "../../abi/storage-layout.js";
import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { isRecord, type Json } from "../json.js";
import type { CallNode, TracedLog } from "./call-tree.js";

/** A changed variable, or a changed slot without a known name. */
export interface StorageChange {
	/** Base58. */
	readonly contract: string;
	/** Name with keys and members, or the slot as `0x` and digits. */
	readonly variable: string;
	/** As written in the source; absent if unknown. */
	readonly type?: string;
	readonly before: string;
	readonly after: string;
}

/** Tracer options for the state before and after, limited to what changed. */
export const DIFFERENCE = { tracer: "prestateTracer", tracerConfig: { diffMode: true } };

const MAX_SLOTS = 2_000;
/** The most words tried as keys of mappings. */
const MAX_WORDS = 60;
const ZERO = "0".repeat(64);

/**
 * @param difference the answer to {@link DIFFERENCE}; only its storage is used
 * @param root the calls, whose words may be keys of mappings
 * @param layoutOf takes a contract's address of 21 bytes
 */
export async function storageChanges(
	difference: Json,
	root: CallNode,
	layoutOf: (address: Uint8Array) => Promise<StorageLayout | undefined>,
	forms: LayoutAddresses,
): Promise<readonly StorageChange[]> {
	const changes: StorageChange[] = [];
	const words = wordsIn(root);
	for (const [account, slots] of slotsIn(difference)) {
		const address = addressFromHash(fromHex(account));
		const layout = await layoutOf(address);
		// A counter in the storage is often the key of what it counts.
		const counters = new Set([...slots.values()].flatMap(({ before, after }) => [before, after]));
		const keys = [...words, ...[...counters].slice(0, MAX_WORDS)];
		const named = layout ? variablesAt(layout, slots.keys(), keys, forms) : new Map<bigint, []>();
		const contract = toBase58Check(address);
		for (const [slot, { before, after }] of slots) {
			const rows = (named.get(slot) ?? []).flatMap((variable) => {
				const [was, is] = [before, after].map((word) => valueIn(variable, word, forms)) as [string, string];
				const { name, type } = variable;
				return was === is ? [] : [{ contract, variable: name, type, before: was, after: is }];
			});
			const plain = {
				contract,
				variable: `0x${slot.toString(16)}`,
				before: `0x${before}`,
				after: `0x${after}`,
			};
			changes.push(...(rows.length > 0 ? rows : [plain]));
		}
	}
	return changes;
}

interface ChangedWord {
	readonly before: string;
	readonly after: string;
}

/** Changed words, 64 digits each, by account (40 digits) and slot. */
function slotsIn(difference: Json): ReadonlyMap<string, ReadonlyMap<bigint, ChangedWord>> {
	const found = new Map<string, Map<bigint, ChangedWord>>();
	let left = MAX_SLOTS;
	const read = (side: "before" | "after", accounts: Json | undefined): void => {
		for (const [account, state] of Object.entries(isRecord(accounts) ? accounts : {})) {
			const storage = isRecord(state) ? state["storage"] : undefined;
			if (!isRecord(storage) || !/^0x[0-9a-f]{40}$/i.test(account)) continue;
			const slots = found.get(account.slice(2).toLowerCase()) ?? new Map<bigint, ChangedWord>();
			found.set(account.slice(2).toLowerCase(), slots);
			for (const [slot, word] of Object.entries(storage)) {
				if (!isWord(slot) || !isWord(word) || left-- <= 0) continue;
				const other = slots.get(BigInt(slot)) ?? { before: ZERO, after: ZERO };
				slots.set(BigInt(slot), { ...other, [side]: word.slice(2).toLowerCase() });
			}
		}
	};
	const { pre, post } = isRecord(difference) ? difference : {};
	read("before", pre);
	read("after", post);
	return found;
}

const isWord = (value: unknown): value is string =>
	typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value);

/** Addresses, arguments, topics and data of all calls, as words of 64 digits. */
function wordsIn(root: CallNode): readonly string[] {
	const words = new Set<string>();
	const add = (bytes: Uint8Array): void => {
		if (words.size < MAX_WORDS) words.add(toHex(bytes).padStart(64, "0"));
	};
	const addAll = (data: Uint8Array, from: number): void => {
		for (let at = from; at + 32 <= data.length && words.size < MAX_WORDS; at += 32)
			add(data.subarray(at, at + 32));
	};
	const visit = (each: CallNode | TracedLog): void => {
		if ("topics" in each) {
			for (const topic of each.topics.slice(1)) add(topic);
			addAll(each.data, 0);
			return;
		}
		add(each.from);
		add(each.to);
		addAll(each.input, 4);
		for (const inner of each.inner) visit(inner);
	};
	visit(root);
	return [...words];
}
