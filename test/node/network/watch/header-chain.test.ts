import { describe, expect, it } from "vitest";
import {
	HeaderChain,
	HeaderError,
	PlaceTable,
	UnlinkedHeader,
} from "../../../../src/node/network/watch/header-chain.js";
import type { SignedBlock } from "../../../../src/protocol/block.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { checkpointNamed } from "../../../../src/protocol/inclusion/checkpoints.js";
import { BlockHeader, BlockHeaderRaw } from "../../../../src/protocol/messages.js";
import type { HeaderFacts } from "../../../real/chain-facts.js";
import { facts } from "../../../real/facts.js";
import {
	blockOf,
	blocksAfter,
	genesis,
	headerOf,
	SLOT_MS,
	START_MS,
	setOf,
	witnessAt,
} from "./watched-network.js";

const ALL = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
const MAIN = { hasPostQuantum: false };

const watching = (set = setOf(...ALL), slots = 10_000): HeaderChain =>
	new HeaderChain(set, { ...MAIN, wallClock: () => START_MS + slots * SLOT_MS });

const add = (chain: HeaderChain, ...blocks: readonly SignedBlock[]) =>
	blocks.map((block) => chain.add(headerOf(block)));

const finals = (progress: ReturnType<typeof add>): number[] =>
	progress.flatMap(({ final }) => final.map(({ number }) => Number(number)));

/** What refuses a block, with nothing changed. */
function refusal(chain: HeaderChain, block: SignedBlock): string {
	const before = [chain.head?.number, chain.final?.number];
	try {
		chain.add(headerOf(block));
	} catch (error) {
		if (!(error instanceof HeaderError)) throw error;
		expect([chain.head?.number, chain.final?.number]).toEqual(before);
		return error.message;
	}
	throw new Error("it was taken");
}

describe("a chain of headers", () => {
	it("is final where two thirds of the witnesses have built", () => {
		const chain = watching();
		expect(chain.needed).toBe(7);
		const blocks = blocksAfter(genesis, [0, 1, 2, 3, 4, 5, 6, 7]);
		expect(finals(add(chain, ...blocks.slice(0, 6)))).toEqual([]);
		expect(chain.final).toBeUndefined();
		expect(finals(add(chain, ...blocks.slice(6)))).toEqual([1, 2]);
		expect(chain.head?.number).toBe(8n);
		expect(chain.summary.map(({ number }) => number)).toEqual([2n, 8n]);
	});

	it("has the headers that prove a final block, and only those", () => {
		const chain = watching();
		const blocks = blocksAfter(genesis, [0, 1, 2, 3, 4, 5, 6, 7]);
		add(chain, ...blocks);
		const proofOf = (at: number) => chain.proofHeaders((blocks[at] as SignedBlock).id)?.length;
		expect([proofOf(0), proofOf(1), proofOf(2)]).toEqual([7, 7, undefined]);
		expect(chain.proofHeaders(new Uint8Array(32))).toBeUndefined();
	});

	it("counts a witness once, however many blocks it makes", () => {
		const chain = watching(setOf(0, 1, 2));
		expect(chain.needed).toBe(3);
		expect(finals(add(chain, ...blocksAfter(genesis, [0, 1]), ...[]))).toEqual([]);
		const [first, second] = blocksAfter(genesis, [0, 1]) as [SignedBlock, SignedBlock];
		const third = blockOf({ parent: second, slot: 4, witness: 0 });
		expect(first.number).toBe(1n);
		expect(finals(add(chain, third))).toEqual([]);
		expect(finals(add(chain, blockOf({ parent: third, slot: 6, witness: 2 })))).toEqual([1, 2]);
	});

	it("goes over to a longer branch, and never below what is final", () => {
		const chain = watching();
		const [one, two, three] = blocksAfter(genesis, [0, 1, 2]) as [SignedBlock, SignedBlock, SignedBlock];
		const other = blockOf({ parent: one, slot: 4, witness: 3 });
		const longer = blockOf({ parent: other, slot: 5, witness: 4 });
		const longest = blockOf({ parent: longer, slot: 6, witness: 5 });
		add(chain, one, two, three);
		expect(add(chain, other, longer).map(({ isHead }) => isHead)).toEqual([false, false]);
		expect(add(chain, longest)).toMatchObject([{ isHead: true, isReorg: true }]);
		expect(chain.head?.number).toBe(4n);
		const more = blocksAfter(longest, [6, 7, 8, 9]);
		expect(finals(add(chain, ...more)).at(-1)).toBe(2);
		add(chain, ...blocksAfter(more.at(-1) as SignedBlock, [0]));
		expect(() => add(chain, blockOf({ parent: two, slot: 20, witness: 9 }))).toThrow(UnlinkedHeader);
	});
});

describe("what a chain of headers refuses", () => {
	const one = blockOf({ parent: genesis, slot: 1, witness: 0 });

	it("is what isn't signed by a witness's key", () => {
		const chain = watching(setOf(0, 1, 2));
		add(chain, one);
		const forged = blockOf({ parent: one, slot: 2, witness: 1, signer: 7 });
		expect(refusal(chain, forged)).toContain("are not in the set of 3");
		const message = BlockHeader.copy(headerOf(forged));
		message.witness_signature = new Uint8Array(65);
		expect(() => chain.add(message)).toThrow(HeaderError);
	});

	it("is another number, an earlier time, the same slot, a time to come, the same block", () => {
		const chain = watching(setOf(...ALL), 100);
		add(chain, one);
		for (const wrong of [
			blockOf({ parent: one, slot: 2, witness: 1, number: 3n }),
			blockOf({ parent: one, slot: 0, witness: 1 }),
			blockOf({ parent: one, slot: 1, witness: 1 }),
		])
			expect(refusal(chain, wrong)).toContain("doesn't follow block 1");
		expect(refusal(chain, blockOf({ parent: one, slot: 102, witness: 1 }))).toContain("before its time");
		expect(refusal(chain, one)).toContain("twice");
	});

	it("is a signature that the network doesn't know, and data that are too long", () => {
		const header = BlockHeader.copy(headerOf(one));
		const raw = BlockHeaderRaw.copy(header.raw_data as BlockHeaderRaw);
		raw.accountStateRoot = new Uint8Array(1_024);
		header.raw_data = raw;
		expect(() => watching().add(header)).toThrow("too long");
		expect(() => watching().add(BlockHeader.create({}))).toThrow("without a number");
	});

	it("is a branch on which two thirds never build", () => {
		const chain = watching(setOf(...ALL), 100_000);
		let parent = one;
		add(chain, one);
		const fewer = Array.from({ length: 127 }, (_, i) => i);
		for (const round of fewer) {
			parent = blockOf({ parent, slot: 11 + 10 * round, witness: 0 });
			add(chain, parent);
		}
		const next = blockOf({ parent, slot: 11 + 10 * 127, witness: 0 });
		expect(refusal(chain, next)).toBe("128 blocks, and fewer than 7 witnesses of the set build on them");
	});

	it("is more branches than are kept", () => {
		const chain = watching(setOf(...ALL), 100_000);
		add(chain, one);
		for (let i = 0; i < 255; i++) add(chain, blockOf({ parent: one, slot: 2 + 10 * i, witness: 1 }));
		expect(refusal(chain, blockOf({ parent: one, slot: 2 + 2_550, witness: 1 }))).toContain("too many");
	});

	it("is a chain that contradicts what was final before it began anew", () => {
		const chain = watching();
		const blocks = blocksAfter(genesis, [0, 1, 2, 3, 4, 5, 6, 7]);
		add(chain, ...blocks);
		chain.restart();
		expect(chain.summary.map(({ number }) => number)).toEqual([2n]);
		expect(refusal(chain, blockOf({ parent: blocks[0] as SignedBlock, slot: 30, witness: 9 }))).toContain(
			"not the one that is final",
		);
		add(chain, blockOf({ parent: blocks.at(-1) as SignedBlock, slot: 9, witness: 8 }));
		expect(chain.head?.number).toBe(9n);
	});
});

describe("the set of witnesses", () => {
	it("takes in whose blocks two thirds have built on, when the cycle ends, and drops whom it replaced", () => {
		const chain = watching();
		// 10 made blocks instead of 9, whom the votes left out.
		const first = blocksAfter(genesis, [0, 1, 2, 3, 4, 5, 6, 7, 8, 10]);
		const second = blocksAfter(first.at(-1) as SignedBlock, [0, 1, 2, 3, 4, 5, 6, 7, 8, 10]);
		const changes = add(chain, ...first, ...second).flatMap((progress) => progress.changes);
		expect(changes.map(({ number, silent }) => [number, silent])).toEqual([[10n, 0]]);
		expect(changes[0]?.added.map(({ address }) => toHex(address))).toEqual([toHex(witnessAt(10))]);
		expect(changes[0]?.removed.map(({ address }) => toHex(address))).toEqual([toHex(witnessAt(9))]);
	});

	it("keeps members that made no block, and says how many", () => {
		const chain = watching();
		const rounds = [0, 1, 2, 3, 4, 5, 6, 10].flatMap((witness, slot) => [{ witness, slot }]);
		let parent = genesis;
		const changes: unknown[] = [];
		for (let round = 0; round < 4; round++) {
			// In the third round the cycle changes: all have other places.
			const shift = round < 2 ? 0 : 1;
			for (const { witness, slot } of rounds) {
				parent = blockOf({ parent, slot: 1 + round * 10 + slot + shift, witness });
				for (const progress of add(chain, parent)) changes.push(...progress.changes);
			}
		}
		expect(changes).toMatchObject([{ silent: 2, added: [{ address: witnessAt(10) }] }]);
		expect(chain.witnesses.length).toBe(10);
	});

	it("can't be replaced at once by strangers", () => {
		const chain = watching();
		const blocks = blocksAfter(genesis, [0, 11, 12, 13]);
		add(chain, ...blocks);
		expect(refusal(chain, blockOf({ parent: blocks.at(-1) as SignedBlock, slot: 5, witness: 14 }))).toBe(
			"4 of the witnesses up to block 5 are not in the set of 10, and 7 of those are needed",
		);
	});
});

describe("the places of witnesses", () => {
	it("are one of each in a round, until a new cycle", () => {
		let table = PlaceTable.empty(3) as PlaceTable | undefined;
		for (const [witness, slot] of [
			["a", 0],
			["b", 1],
			["a", 3],
			["c", 5],
		] as const)
			table = table?.taking(witness, slot);
		expect(table?.cycle).toBe(0);
		const next = table?.taking("a", 7);
		expect(next?.cycle).toBe(1);
		// Within two rounds there can't be another one.
		expect(next?.taking("b", 10)).toBeUndefined();
		expect(next?.taking("a", 11)).toBeUndefined();
		expect(next?.taking("a", 14)?.cycle).toBe(2);
	});
});

describe("headers of the main network", () => {
	interface Run {
		readonly first: number;
		readonly headers: readonly HeaderFacts[];
		readonly witnesses?: readonly { readonly witness: string; readonly signer: string }[];
		readonly finalAt?: readonly (readonly [block: number, header: number])[];
	}
	const { runs } = facts<{ runs: Run[] }>("headers.json.br");
	const run = runs.find(({ witnesses }) => witnesses) as Run;

	const message = ({ raw, signature }: HeaderFacts): BlockHeader =>
		BlockHeader.create({
			raw_data: BlockHeaderRaw.decode(fromHex(raw)),
			witness_signature: fromHex(signature as string),
		});

	it("become final where it was recorded", () => {
		const witnesses = (run.witnesses ?? []).map(({ witness, signer }) => ({
			address: fromHex(witness),
			key: fromHex(signer),
		}));
		const chain = new HeaderChain({ witnesses }, { ...MAIN, wallClock: Date.now });
		const found: [number, number][] = [];
		for (const header of run.headers)
			for (const { number } of chain.add(message(header)).final) found.push([Number(number), header.number]);
		expect(found).toEqual(run.finalAt);
	});

	it("are followed from the set that the program brings along", () => {
		const trusted = checkpointNamed("main");
		if (!trusted) throw new Error("there is none");
		const chain = new HeaderChain(trusted, { ...MAIN, wallClock: Date.now });
		for (const header of run.headers) chain.add(message(header));
		expect(chain.final?.number).toBeGreaterThan(BigInt(run.first + 50));
	});
});
