/** A small chain and its index, as the node wires them, and what the index should say. */

import { expect } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import type { IndexedChain } from "../../../src/node/history/block-rows.js";
import { HistoryIndex, type HistoryReader, ownerKey } from "../../../src/node/history/history-index.js";
import type { HistoryStore } from "../../../src/node/history/history-store.js";
import type { HistoryPage, PageQuery } from "../../../src/node/history/pages.js";
import { readPlace, readPointer } from "../../../src/node/history/rows.js";
import { indexedChain } from "../../../src/node/node-history.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { openSmall, produce, transfer, users } from "../chain/small-chain.js";

const [, bert, carl] = users as [Uint8Array, Uint8Array, Uint8Array];

export const chainOf = (open: OpenChain, lowestNumber = 0): IndexedChain =>
	indexedChain(open, true, lowestNumber);

export interface Followed {
	readonly open: OpenChain;
	readonly index: HistoryIndex;
	readonly failures: unknown[];
	close(): Promise<void>;
}

/** A chain and its index, as the node wires them. */
export async function follow(
	dataDirectory: string | undefined,
	store: HistoryStore | undefined,
	lowestNumber = 0,
	more: Pick<Parameters<typeof HistoryIndex.open>[0], "onAhead" | "onAway" | "pauseFor"> = {},
): Promise<Followed> {
	const open = await openSmall({ dataDirectory, flushLimits: { entries: 60, logBytes: 64 << 20 } });
	const { chain } = open;
	const failures: unknown[] = [];
	const index = await HistoryIndex.open({
		chain: chainOf(open, lowestNumber),
		store,
		pace: { now: () => 0, pause: () => Promise.resolve() },
		onFailure: (error) => failures.push(error),
		...more,
	}).catch(async (error: unknown) => {
		await open.close();
		throw error;
	});
	chain.observe(index);
	if (store) open.followBase((number) => index.storedUpTo(Number(number)));
	return {
		open,
		index,
		failures,
		close: async () => {
			await open.close();
			await index.close();
		},
	};
}

/** Blocks with transfers among the three; what is sent is told by the amount. */
export function grow({ open }: Followed, blocks: number, first = 1): void {
	for (let n = 0; n < blocks; n++) {
		const [from, to] = n % 3 === 0 ? [0, bert] : n % 3 === 1 ? [1, carl] : [0, carl];
		open.chain.pushTransaction(transfer(open, from, to as Uint8Array, BigInt(first + n)));
		produce(open);
	}
}

/** `height:directions` of an account's transactions, by looking through all blocks. */
export function expected({ chain }: OpenChain, account: Uint8Array): string[] {
	const found: string[] = [];
	for (let number = 0n; number <= chain.state.properties.headNumber; number++) {
		for (const transaction of chain.blockByNumber(number)?.transactions ?? []) {
			const { owner_address, to_address } = transaction.parameter as unknown as Record<string, Uint8Array>;
			const isOf = (address: Uint8Array | undefined): boolean =>
				address !== undefined && toHex(address) === toHex(account);
			const directions = (isOf(owner_address) ? 1 : 0) | (isOf(to_address) ? 2 : 0);
			if (directions > 0) found.push(`${number}:${directions}:${transaction.idHex.slice(0, 16)}`);
		}
	}
	return found;
}

export const shown = ({ rows }: HistoryPage): string[] =>
	rows.map(({ suffix, value }) => {
		const { directions, mark } = readPointer(value);
		return `${readPlace(suffix).height}:${directions}:${toHex(mark)}`;
	});

export const all = (account: Uint8Array): PageQuery => ({
	lists: [{ kind: "transaction", owner: ownerKey(account) }],
	from: 0,
	to: 1_000_000,
	descending: false,
	limit: 10_000,
});

export async function expectWhole({
	open,
	index,
}: {
	readonly open: OpenChain;
	readonly index: HistoryReader;
}): Promise<void> {
	for (const account of users) {
		const wanted = expected(open, account);
		expect(shown(await index.page(all(account)))).toEqual(wanted);
		expect(shown(await index.page({ ...all(account), descending: true }))).toEqual(wanted.reverse());
	}
}

/** Lets others work until something holds; what never does ends with the test's own limit. */
export async function until(holds: () => boolean): Promise<void> {
	while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
