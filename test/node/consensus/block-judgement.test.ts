import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { judgeAnnounced } from "../../../src/node/consensus/announced-block.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { NodeChain } from "../../../src/node/network/node-chain.js";
import {
	BadBlockError,
	BadNumberBlockError,
	BlockSignatureError,
	type ChainError,
	UnlinkedBlockError,
	ValidateScheduleError,
} from "../../../src/node/rules/errors.js";
import type { StateView } from "../../../src/node/state/view.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { Transaction } from "../../../src/protocol/messages.js";
import { recoverEngine, setRecoverEngine } from "../../../src/protocol/signature.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import {
	balance,
	forge,
	keyOfUser,
	keyOfWitness,
	openSmall,
	permissionUpdate,
	produce,
	produceMany,
	signed,
	smallConfig,
	transfer,
	users,
} from "../chain/small-chain.js";

let open: OpenChain;
/** Another node of the same chain. */
let peer: OpenChain;
beforeEach(async () => {
	[open, peer] = [await openSmall(), await openSmall()];
});
afterEach(async () => {
	for (const each of [open, peer]) await each.close();
});

const copyOf = (block: SignedBlock): SignedBlock => SignedBlock.decode(block.bytes);

function share(count: number, k = 1n): SignedBlock[] {
	const blocks = produceMany(open, count, k);
	for (const block of blocks) peer.chain.push(copyOf(block), "peer");
	return blocks;
}

/** Offers a block as a peer's, and tells what the chain kept of it. */
function offer(block: SignedBlock): { readonly error: unknown; readonly isKept: boolean } {
	const before = open.chain.head.idHex;
	let error: unknown;
	try {
		open.chain.push(copyOf(block), "peer");
	} catch (thrown) {
		error = thrown;
		expect(open.chain.head.idHex).toBe(before);
	}
	return { error, isKept: open.chain.tree.has(block.id) };
}

function expectRefused(block: SignedBlock, reason: new (message: string) => ChainError): void {
	const { error, isKept } = offer(block);
	expect(error).toBeInstanceOf(reason);
	expect(isKept).toBe(false);
}

describe("a block of a side branch", () => {
	test("that an unknown key signed is not kept, however long its branch", () => {
		const shared = share(3);
		const [fork] = [shared[0] as SignedBlock];
		const mine = open.chain.head.timestampMs;
		expectRefused(forge(fork, mine + 3000n), ValidateScheduleError);
		const payment = transfer(open, 0, users[1] as Uint8Array, 5n);
		open.chain.pushTransaction(payment);
		produce(open);
		expect(balance(open, users[1] as Uint8Array)).toBe(1_000_000_000_005n);
		for (let at = fork, n = 0n; n < 6n; n++) {
			at = forge(at, mine + 3000n * (n + 2n));
			const { isKept } = offer(at);
			expect(isKept).toBe(false);
		}
		expect(balance(open, users[1] as Uint8Array)).toBe(1_000_000_000_005n);
	});

	test("is not kept if its witness's name is claimed by another key", () => {
		const [fork, next] = share(2) as [SignedBlock, SignedBlock];
		// Five witnesses take turns.
		const time = next.timestampMs + 15_000n;
		expectRefused(forge(fork, time, { witness: next.witness }), BlockSignatureError);
		const own = { witness: next.witness, key: keyOfWitness(next.witness) };
		expect(offer(forge(fork, time, own)).error).toBeUndefined();
	});

	test("is not kept if its witness made it for a slot that belongs to another", () => {
		const [fork, next, third] = share(3) as [SignedBlock, SignedBlock, SignedBlock];
		const { witness } = next;
		expectRefused(
			forge(fork, third.timestampMs, { witness, key: keyOfWitness(witness) }),
			ValidateScheduleError,
		);
	});

	test("is not kept if it doesn't come after its parent", () => {
		const [, fork] = share(3) as [SignedBlock, SignedBlock];
		const { witness } = fork;
		const twin = { witness, key: keyOfWitness(witness) };
		expectRefused(forge(fork, fork.timestampMs, twin), ValidateScheduleError);
	});

	test("is not kept if its number doesn't follow", () => {
		const [fork] = share(2) as [SignedBlock];
		const block = forge(fork, fork.timestampMs + 3000n);
		const raw = { ...block.raw, number: 9n };
		const wrong = new SignedBlock({
			...block.message,
			block_header: { ...block.header, raw_data: raw },
		} as never);
		expectRefused(wrong, BadNumberBlockError);
	});

	test("is not kept if its parent is unknown", () => {
		share(2);
		const stranger = forge(forge(open.chain.head, 1n), 2n);
		expectRefused(stranger, UnlinkedBlockError);
	});

	test("by its witness in its slot is kept, and wins when its branch is longer", () => {
		share(2);
		produce(open);
		const branch = produceMany(peer, 3, 2n);
		for (const block of branch.slice(0, 1)) expect(offer(block)).toEqual({ error: undefined, isKept: true });
		for (const block of branch.slice(1)) offer(block);
		expect(open.chain.head.idHex).toBe(peer.chain.head.idHex);
	});
});

/** Two chains on which witnesses may name other keys, for nothing, with two blocks. */
async function openWithPermissions(): Promise<void> {
	for (const each of [open, peer]) await each.close();
	const options = {
		config: smallConfig("allowMultiSign = 1"),
		initialize: ({ properties }: StateView) => properties.set("UPDATE_ACCOUNT_PERMISSION_FEE", 0n),
	};
	[open, peer] = [await openSmall(options), await openSmall(options)];
	// Slots stay empty after the first.
	share(2);
}

/** A witness's transaction that has users sign for it. */
const handOver = (chain: OpenChain, witness: Uint8Array): SignedTransaction =>
	signed(
		chain,
		0,
		"AccountPermissionUpdateContract",
		permissionUpdate(witness, users[0] as Uint8Array, users[1]),
		{
			key: keyOfWitness(witness),
		},
	);

describe("the key of a witness that", () => {
	test("both branches have changed signs on the other branch", async () => {
		await openWithPermissions();
		const { state } = peer.chain;
		const witness = scheduledWitness(state, 3n);
		const time = slotTimeMs(state, 3n);
		const update = handOver(open, witness);
		open.chain.pushTransaction(update);
		expect(produce(open).transactions).toHaveLength(1);
		peer.chain.pushTransaction(SignedTransaction.decode(update.bytes));
		const fork = produce(peer, 2n);
		expect(offer(fork).isKept).toBe(true);
		expectRefused(forge(fork, time, { witness, key: keyOfUser(2) }), BlockSignatureError);
		expect(offer(forge(fork, time, { witness, key: keyOfUser(1) })).error).toBeUndefined();
		expect(toHex(open.chain.head.parentId)).toBe(fork.idHex);
	});

	test("only this branch has changed signs on the other branch as before", async () => {
		await openWithPermissions();
		const { state } = peer.chain;
		const [witness, time] = [scheduledWitness(state, 3n), slotTimeMs(state, 3n)];
		open.chain.pushTransaction(handOver(open, witness));
		produce(open);
		const fork = produce(peer, 2n);
		offer(fork);
		expect(offer(forge(fork, time, { witness, key: keyOfWitness(witness) })).error).toBeUndefined();
		expect(toHex(open.chain.head.parentId)).toBe(fork.idHex);
	});

	test("a pending transaction changes signs until that is in a block", async () => {
		await openWithPermissions();
		const witness = scheduledWitness(open.chain.state, 1n);
		open.chain.pushTransaction(handOver(open, witness));
		const chain = new NodeChain({ open, pool: undefined, report: () => {} });
		const block = copyOf(produce(peer));
		expect(judgeAnnounced(chain, block, Number(block.timestampMs), () => false)).toEqual({ kind: "good" });
		expect(chain.push(block)).toEqual({ kind: "accepted", isNew: true });
		chain.close();
	});
});

describe("a branch with a maintenance of its own", () => {
	/** Whole numbers of cycles pass in a few slots: the cycle of this chain is 600 s long. */
	const CYCLE_SLOTS = 201n;

	test("is taken: of the slots above it only registered witnesses can be asked for", () => {
		share(2);
		produceMany(open, 2);
		const branch = [produce(peer, CYCLE_SLOTS), ...produceMany(peer, 3)];
		expect(branch[0]?.timestampMs).toBeGreaterThanOrEqual(
			open.chain.state.properties.get("NEXT_MAINTENANCE_TIME"),
		);
		for (const block of branch) expect(offer(block).error).toBeUndefined();
		expect(open.chain.head.idHex).toBe(peer.chain.head.idHex);
	});

	test("refuses a producer that is not registered as a witness", () => {
		share(2);
		produceMany(open, 2);
		const first = produce(peer, CYCLE_SLOTS);
		expect(offer(first).isKept).toBe(true);
		expectRefused(forge(first, first.timestampMs + 9000n), ValidateScheduleError);
	});

	test("needs the witness of the slot in which the maintenance is", () => {
		const shared = share(2);
		const time = slotTimeMs(open.chain.state, CYCLE_SLOTS);
		const right = scheduledWitness(open.chain.state, CYCLE_SLOTS);
		const other = scheduledWitness(open.chain.state, CYCLE_SLOTS + 1n);
		const at = shared.at(-1) as SignedBlock;
		expectRefused(forge(at, time, { witness: other, key: keyOfWitness(other) }), ValidateScheduleError);
		expect(offer(forge(at, time, { witness: right, key: keyOfWitness(right) })).error).toBeUndefined();
	});
});

describe("a branch that leaves the chain before its last maintenance", () => {
	test("is judged by the witnesses of before", () => {
		share(2);
		produce(open, 201n);
		const branch = produceMany(peer, 2);
		for (const block of branch) expect(offer(block)).toEqual({ error: undefined, isKept: true });
		expectRefused(
			forge(branch[1] as SignedBlock, (branch[1] as SignedBlock).timestampMs + 3000n),
			ValidateScheduleError,
		);
	});
});

describe("the first block", () => {
	test("is made by a witness of the genesis and no one else", () => {
		expectRefused(forge(open.chain.head, open.chain.head.timestampMs + 3000n), ValidateScheduleError);
		expect(offer(produce(peer)).error).toBeUndefined();
	});
});

describe("the signature of a header", () => {
	test("is the witness's own where its account names no other key", async () => {
		const strict = await openSmall({ config: smallConfig("allowMultiSign = 1") });
		try {
			produceMany(strict, 2);
			const k = 1n;
			const witness = scheduledWitness(strict.chain.state, k);
			const block = forge(strict.chain.head, slotTimeMs(strict.chain.state, k), {
				witness,
				key: keyOfWitness(witness),
			});
			expect(strict.chain.push(block, "peer").kind).toBe("head");
		} finally {
			await strict.close();
		}
	});
});

describe("a block that is too large", () => {
	test("is not kept, no matter who made it", () => {
		share(2);
		const witness = scheduledWitness(open.chain.state, 1n);
		const data = new Uint8Array(2_001_000);
		const payment = SignedTransaction.decode(transfer(open, 0, users[1] as Uint8Array, 1n).bytes);
		const raw_data = { ...payment.message.raw_data, data } as never;
		const transactions = [new SignedTransaction(Transaction.create({ ...payment.message, raw_data }))];
		const options = { witness, key: keyOfWitness(witness), transactions };
		expectRefused(forge(open.chain.head, slotTimeMs(open.chain.state, 1n), options), BadBlockError);
	});
});

test("an announced block's signer isn't recovered again where the block is taken in", () => {
	share(3);
	const block = copyOf(produce(peer));
	const chain = new NodeChain({ open, pool: undefined, report: () => {} });
	const nowMs = Number(block.timestampMs);
	const former = recoverEngine();
	const again = (): never => {
		throw new Error("recovered");
	};
	const without = <T>(work: () => T): T => {
		setRecoverEngine("none", { recover: again, isPoint: again });
		try {
			return work();
		} finally {
			setRecoverEngine("former", former);
		}
	};
	// The time is looked at first.
	expect(without(() => judgeAnnounced(chain, block, nowMs - 1001, () => false))).toEqual({ kind: "early" });
	expect(() => without(() => judgeAnnounced(chain, block, nowMs, () => false))).toThrow("recovered");
	expect(judgeAnnounced(chain, block, nowMs, () => false)).toEqual({ kind: "good" });
	expect(without(() => chain.push(block))).toEqual({ kind: "accepted", isNew: true });
	chain.close();
});
