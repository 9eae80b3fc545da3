import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenChain } from "../../../../src/node/chain/open-chain.js";
import { SignedBlock } from "../../../../src/protocol/block.js";
import { fromHex } from "../../../../src/protocol/bytes.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { type RecordedCase, type RecordedLine, readRecording } from "../recorded-frames.js";
import { LinkedNode } from "./linked-nodes.js";
import { RecordedChains } from "./recorded-chains.js";
import { replay } from "./replay.js";

const FOLDER = "test/golden/p2p";

interface Side {
	readonly head: number;
	readonly headId: string;
}
type Case = RecordedCase & {
	readonly A?: Side;
	readonly B?: Side;
	readonly C?: Side;
	/** In place of the three, with `id`. */
	readonly heads?: Readonly<Record<string, { readonly head: number; readonly id: string }>>;
	readonly commonAncestor?: number;
	readonly branchA?: readonly { readonly block: string }[];
	readonly branchB?: readonly { readonly block: string }[];
};

let net: RecordedChains;
let two: RecordedChains;

beforeAll(async () => {
	net = await RecordedChains.build("p2p-net", 1490);
	two = await RecordedChains.build("p2p-two", 2590);
});

afterAll(async () => {
	await net?.close();
	await two?.close();
});

async function chainOf(chains: RecordedChains, first: Case, me: "A" | "B" | "C"): Promise<OpenChain> {
	const { head: at = 0, id = "" } = first.heads?.[me] ?? {};
	const wanted = first[me] ?? { head: at, headId: id };
	const isOnMain = wanted.head === 0 || chains.blocks[wanted.head - 1]?.idHex === wanted.headId;
	const branch = isOnMain ? [] : me === "A" ? first.branchA : first.branchB;
	const head = isOnMain ? wanted.head : (first.commonAncestor as number);
	const open = await chains.copy(
		head,
		(branch ?? []).map(({ block }) => SignedBlock.decode(fromHex(block))),
	);
	expect(open.chain.head.idHex).toBe(wanted.headId);
	return open;
}

/** Plays a recording in the place of one of its nodes and compares what is said. */
async function check(
	chains: RecordedChains,
	file: string,
	me: "A" | "B" | "C",
	restarted = false,
): Promise<LinkedNode> {
	const lines = readRecording(`${FOLDER}/${file}.ndjson.br`);
	return checkLines(chains, lines, me, restarted);
}

/** Which of many thousand announced transactions are asked for first, and how many had come by then, is chance. */
function counted(units: readonly string[]): readonly string[] {
	const isFetch = (unit: string): boolean => unit.startsWith("FETCH_INV_DATA 0 ");
	const count = units.filter(isFetch).length;
	return count < 500 ? units : [...units.filter((unit) => !isFetch(unit)), "FETCH_INV_DATA of many"];
}

async function checkLines(
	chains: RecordedChains,
	lines: readonly RecordedLine[],
	me: "A" | "B" | "C",
	restarted: boolean,
	others: readonly RecordedLine[] = [],
): Promise<LinkedNode> {
	const [first] = lines as readonly [Case];
	const open = await chainOf(chains, first, me);
	const world = new SimulatedWorld({ startMs: first.startedAt, link: { latencyMs: 0, jitterMs: 0 } });
	const node = new LinkedNode(world, "10.0.0.1", open, {
		// The recordings are of that release.
		settings: { networkId: first.network, release: "4.8.0" },
		restarted,
	});
	for (const { conn, recorded, ours } of await replay(lines, me, node, world, others)) {
		// A reference node asks for blocks only ten seconds after its start.
		const early = (unit: string): boolean =>
			restarted && unit.startsWith("FETCH_INV_DATA 1 ") && !recorded.includes(unit);
		expect(counted(ours.filter((unit) => !early(unit))), `connection ${conn}`).toEqual(counted(recorded));
	}
	expect(node.faults).toEqual([]);
	return node;
}

describe("the application layer in the place of a recorded node", () => {
	it.each([
		["01-handshake-fresh", "A"],
		["01-handshake-fresh", "B"],
		["03-adv", "A"],
		["03-adv", "B"],
		["04a-fork-b-longer", "A"],
		["04a-fork-b-longer", "B"],
		["04b-fork-a-longer", "A"],
		["04b-fork-a-longer", "B"],
		["04c-fork-equal", "A"],
		["04c-fork-equal", "B"],
		["04d-fork-shorter-then-longer", "A"],
		["04d-fork-shorter-then-longer", "B"],
		["04e-fork-below-solid", "A"],
		["04e-fork-below-solid", "B"],
		["08a-graceful-shutdown-b", "A"],
	] as const)("%s: says what %s said", async (file, me) => {
		await check(net, file, me);
	});

	it.each([
		["08b-restart-and-kill-b", "A", false],
		["08b-restart-and-kill-b", "B", true],
		["07b-probe-sync-requests", "A", true],
		["07e-adv-good-and-bad", "A", true],
		["07f-probe-serves-sync", "A", true],
		["07h-relay-between-two-probes", "A", true],
		["05a-refusals-probe", "A", true],
	] as const)("%s: says what %s said (restarted: %s)", async (file, me, restarted) => {
		await check(net, file, me, restarted);
	});

	it("07d-bad-application: says what A said while 07f, at the same time, brought it blocks", async () => {
		const lines = readRecording(`${FOLDER}/07d-bad-application.ndjson.br`);
		const others = readRecording(`${FOLDER}/07f-probe-serves-sync.ndjson.br`);
		await checkLines(net, lines, "A", true, others);
	});

	it.each([
		["05c-two-nodes-wrong-genesis", "A", false],
		["08c-graceful-shutdown-a", "A", false],
		["08c-graceful-shutdown-a", "B", false],
		["08d-kill-a", "A", true],
		["08d-kill-a", "B", false],
		["10b-three-nodes-relay", "A", false],
		["10b-three-nodes-relay", "B", false],
		["10b-three-nodes-relay", "C", false],
	] as const)("%s: says what %s said (restarted: %s)", async (file, me, restarted) => {
		await check(two, file, me, restarted);
	});
});
