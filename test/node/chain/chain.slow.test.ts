import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eachBlock } from "../../../src/node/chain/observers.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { activeWitnesses, scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import {
	BlockSignatureError,
	DuplicateTransactionError,
	NonCommonBlockError,
	RuntimeRuleError,
	ValidateScheduleError,
} from "../../../src/node/rules/errors.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { equalBytes } from "../../../src/protocol/bytes.js";
import { OverflowError } from "../../../src/protocol/int64.js";
import { dumpState, poolIds } from "./recorded-chain.js";
import {
	balance,
	forge,
	keyOfWitness,
	openSmall,
	permissionUpdate,
	produce,
	produceMany,
	signed,
	smallConfig,
	transfer,
	users,
} from "./small-chain.js";

let open: OpenChain;
beforeEach(async () => {
	open = await openSmall();
});
afterEach(async () => {
	await open.close();
});

/** Another node of the same chain, which has the same blocks. */
async function peerWith(blocks: readonly SignedBlock[]): Promise<OpenChain> {
	const peer = await openSmall();
	for (const block of blocks) peer.chain.push(copyOf(block), "peer");
	return peer;
}

/** The block as it comes over the wire. */
const copyOf = (block: SignedBlock): SignedBlock => SignedBlock.decode(block.bytes);

describe("branches", () => {
	test("win where the witness of their tip has signed as many blocks for its slot as are kept", async () => {
		const shared = produceMany(open, 3);
		const peer = await peerWith(shared);
		const [first, tip] = produceMany(peer, 2) as [SignedBlock, SignedBlock];
		const { witness, timestampMs } = tip;
		for (const amount of [undefined, 1n, 2n, 3n]) {
			const transactions = amount ? [transfer(open, 0, users[1] as Uint8Array, amount)] : [];
			const twin = forge(shared[2] as SignedBlock, timestampMs, {
				...{ witness, key: keyOfWitness(witness), transactions },
			});
			open.chain.push(copyOf(twin), "peer");
		}
		for (const block of [first, tip, ...produceMany(peer, 2)]) open.chain.push(copyOf(block), "peer");
		expect(open.chain.head.idHex).toBe(peer.chain.head.idHex);
		await peer.close();
	});

	test("that fail after a part of theirs would have been final leave the chain as it was", async () => {
		const shared = produceMany(open, 10);
		const peer = await peerWith(shared);
		const bad = await peerWith(shared);
		const [alone, ...others] = activeWitnesses(open.chain.state);
		const next = (chain: OpenChain, allowed: readonly Uint8Array[]): SignedBlock => {
			for (let k = 1n; ; k++) {
				const witness = scheduledWitness(chain.chain.state, k);
				if (allowed.some((one) => equalBytes(one, witness))) return copyOf(produce(chain, k));
			}
		};
		for (let i = 0; i < 6; i++) next(open, [alone as Uint8Array]);
		const { head } = open.chain;
		const branch = Array.from({ length: 6 }, () => next(peer, others));
		for (const block of branch) {
			bad.chain.push(copyOf(block), "peer");
			expect(open.chain.push(copyOf(block), "peer")).toEqual({ kind: "branch" });
		}
		const witness = scheduledWitness(bad.chain.state, 1n);
		// One of them pays what it doesn't have.
		const wrong = forge(bad.chain.head, slotTimeMs(bad.chain.state, 1n), {
			...{ witness, key: keyOfWitness(witness) },
			transactions: [transfer(bad, 0, users[1] as Uint8Array, 10n ** 17n)],
		});
		const before = await dumpState(open);
		expect(() => open.chain.push(copyOf(wrong), "peer")).toThrow("balance is not sufficient");
		expect(open.chain.head.idHex).toBe(head.idHex);
		expect(await dumpState(open)).toEqual(before);
		// And it goes on, on either branch.
		for (const block of [...branch, next(peer, others)]) open.chain.push(copyOf(block), "peer");
		expect(open.chain.head.idHex).toBe(peer.chain.head.idHex);
		for (const each of [peer, bad]) await each.close();
	});

	test("that win while more blocks become final at once leave a directory that opens again", async () => {
		const dataDirectory = mkdtempSync(join(tmpdir(), "coin-chain-"));
		const peer = await openSmall();
		const stored = await openSmall({ dataDirectory });
		/** The next block of one of the witnesses, whose slots are 1 to 5. @param skipped slots of theirs before it */
		const next = (chain: OpenChain, allowed: readonly Uint8Array[], skipped = 0): SignedBlock => {
			for (let k = 1n, left = skipped; ; k++) {
				const isTheirs = allowed.some((one) => equalBytes(one, scheduledWitness(chain.chain.state, k)));
				if (isTheirs && left-- === 0) return copyOf(produce(chain, k));
			}
		};
		const all = activeWitnesses(stored.chain.state);
		const three = all.slice(0, 3);
		const both = (allowed: readonly Uint8Array[]): void =>
			void peer.chain.push(next(stored, allowed), "peer");
		for (let i = 0; i < 10; i++) both(all);
		for (let i = 0; i < 8; i++) both(three);
		next(stored, three);
		// One that was silent is back: ten blocks are final at once.
		next(stored, all.slice(3, 4));
		for (const skipped of [1, 0, 0]) stored.chain.push(next(peer, three, skipped), "peer");
		expect(stored.chain.head.idHex).toBe(peer.chain.head.idHex);
		const { finalizedNumber } = stored.database;
		expect(stored.chain.tree.blocksAbove(finalizedNumber)[0]?.number).toBe(finalizedNumber + 1n);
		await stored.close();
		const again = await openSmall({ dataDirectory });
		expect(again.chain.head.idHex).toBe(peer.chain.head.idHex);
		for (const each of [again, peer]) await each.close();
		rmSync(dataDirectory, { recursive: true });
	});

	test("of equal length wait; the longer one wins, and transactions of the old one return to the pool", async () => {
		const shared = produceMany(open, 3);
		const peer = await peerWith(shared);
		const payment = transfer(open, 0, users[1] as Uint8Array, 5_000_000n);
		open.chain.pushTransaction(payment);
		const lost = produce(open);
		expect(lost.transactions).toHaveLength(1);
		const [first, second] = produceMany(peer, 2, 2n) as [SignedBlock, SignedBlock];
		const told: string[] = [];
		open.chain.observe({
			accepted: ({ idHex }) => told.push(`accepted ${idHex}`),
			...eachBlock({
				reorg: () => told.push("reorg"),
				reverted: ({ block }) => told.push(`- ${block.idHex}`),
				committed: ({ block }, inReorg) => told.push(`${inReorg ? "+" : "?"} ${block.idHex}`),
			}),
		});
		expect(open.chain.push(copyOf(first), "peer").kind).toBe("branch");
		expect(told.splice(0)).toEqual([`accepted ${first.idHex}`]);
		expect(open.chain.push(copyOf(second), "peer")).toMatchObject({ kind: "head", isReorg: true });
		expect(open.chain.head.idHex).toBe(second.idHex);
		expect(told).toEqual([
			"reorg",
			`- ${lost.idHex}`,
			`+ ${first.idHex}`,
			`+ ${second.idHex}`,
			`accepted ${second.idHex}`,
		]);
		expect(balance(open, users[1] as Uint8Array)).toBe(balance(peer, users[1] as Uint8Array));
		while (open.chain.executeWaiting());
		expect(poolIds(open)).toEqual([payment.idHex]);
		await peer.close();
	});

	test("that leave the chain below the base are refused, and the chain goes on as before", async () => {
		const { chain } = open;
		const shared = produceMany(open, 12);
		chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, 1n));
		const settled = open.database.finalizedNumber;
		// The tree still holds the parent of the branch, but the state can't go back to it.
		const base = Number(settled) - 1;
		expect(chain.tree.has((shared[base - 1] as SignedBlock).id)).toBe(true);
		const peer = await peerWith(shared.slice(0, base));
		const branch = produceMany(peer, 12 - base + 1, 2n);
		const tip = branch.pop() as SignedBlock;
		const tooDeep = new NonCommonBlockError(
			`the branch leaves the chain at block ${base}, but block ${settled} is final`,
		);
		// The network's own push finds that out when the branch has won; a stranger's block isn't kept that long.
		expect(() => chain.push(copyOf(branch[0] as SignedBlock), "peer")).toThrow(tooDeep);
		for (const block of branch) expect(chain.push(copyOf(block), "recording").kind).toBe("branch");
		const head = chain.head.idHex;
		expect(() => chain.push(copyOf(tip), "recording")).toThrow(tooDeep);
		expect(chain.head.idHex).toBe(head);
		expect(chain.tree.has(tip.id)).toBe(false);
		expect(produce(open).number).toBe(13n);
		await peer.close();
	});

	test("that fail in the middle leave the head and the state as they were", async () => {
		const shared = produceMany(open, 3);
		const peer = await peerWith(shared);
		open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, 5_000_000n));
		const [, head] = produceMany(open, 2) as [SignedBlock, SignedBlock];
		const before = await dumpState(open);
		peer.chain.pushTransaction(transfer(peer, 1, users[2] as Uint8Array, 3n));
		const good = produceMany(peer, 2, 2n);
		const { timestampMs, witness } = produce(peer);
		const bad = forge(good[1] as SignedBlock, timestampMs, {
			key: keyOfWitness(witness),
			witness,
			transactions: (good[0] as SignedBlock).transactions,
		});
		for (const block of good) expect(open.chain.push(copyOf(block), "peer").kind).toBe("branch");
		const told: string[] = [];
		open.chain.observe({
			reorg: () => told.push("reorg"),
			committed: () => told.push("+"),
			accepted: () => told.push("accepted"),
		});
		expect(() => open.chain.push(bad, "recording")).toThrow(DuplicateTransactionError);
		expect(open.chain.head.idHex).toBe(head.idHex);
		expect(told).toEqual([]);
		expect(await dumpState(open)).toEqual(before);
		for (const block of [...good, bad]) expect(open.chain.tree.has(block.id)).toBe(false);
		// What the failed branch had applied now waits here, as on the network.
		expect(poolIds(open)).toContain(good[0]?.transactions[0]?.idHex);
		await peer.close();
	});
});

describe("a switch to a branch with a block that its witness didn't sign", () => {
	test.each([
		["4.8.1", undefined],
		["4.8.2", "switch fork: block 3 signature invalid"],
	] as const)("at a node of release %s: %s", async (release, text) => {
		const open = await openSmall({ config: smallConfig("", `node.release = "${release}"`) });
		const { chain } = open;
		const first = produceMany(open, 2)[1] as SignedBlock;
		const witness = (k: bigint) => scheduledWitness(chain.state, k);
		const time = (k: bigint) => slotTimeMs(chain.state, k);
		const side = [2n, 3n].map((k) => ({ witness: witness(k), timestampMs: time(k) }));
		produce(open);
		// The recording's door tests no signature, as the network's own push doesn't.
		const [bad, next] = side as [(typeof side)[0], (typeof side)[0]];
		const forged = forge(first, bad.timestampMs, { witness: bad.witness, key: Buffer.alloc(32, 9) });
		const tip = forge(forged, next.timestampMs, { witness: next.witness, key: keyOfWitness(next.witness) });
		chain.push(forged, "recording");
		const head = chain.head.idHex;
		const pushed = expect(() => chain.push(tip, "recording"));
		if (text === undefined) pushed.not.toThrow();
		else {
			pushed.toThrow(new BlockSignatureError(text));
			expect(chain.head.idHex).toBe(head);
			expect([chain.tree.has(forged.id), chain.tree.has(tip.id)]).toEqual([false, false]);
		}
		await open.close();
	});
});

describe("a chain without the account of burnt coins", () => {
	test.each(["4.8.1", "4.8.2"])("is not opened by a node of release %s", async (release) => {
		const named = smallConfig("", `node.release = "${release}"`);
		const assets = named.genesis.assets.filter(({ accountName }) => accountName !== "Blackhole");
		const config = { ...named, genesis: { ...named.genesis, assets } };
		await expect(openSmall({ config })).rejects.toThrow("Account[Blackhole] is not configured.");
	});
});

describe("an adaptive energy limit that leaves 64 bits", () => {
	test("refuses every block, and leaves the chain as it was", async () => {
		const blocked = await openSmall({
			config: smallConfig("allowAdaptiveEnergy = 1"),
			initialize: ({ properties }) => {
				properties.set("ALLOW_HARDEN_RESOURCE_CALCULATION", 1n);
				properties.set("TOTAL_ENERGY_LIMIT", 12_345_678_901_234_567n);
			},
		});
		const refusal = new RuntimeRuleError("ArithmeticException", "BigInteger out of long range");
		for (let i = 0; i < 2; i++) expect(() => produce(blocked)).toThrow(refusal);
		expect(blocked.chain.head.number).toBe(0n);
		await blocked.close();
	});
});

describe("packing", () => {
	test("keeps what a full block has no room for", () => {
		produce(open);
		let now = 0;
		const payments = [1n, 2n, 3n].map((amount) => transfer(open, 0, users[1] as Uint8Array, amount));
		for (const payment of payments) open.chain.pushTransaction(payment);
		const block = produce(open, 1n, () => ++now > 2);
		expect(block.transactions.map(({ idHex }) => idHex)).toEqual(
			payments.slice(0, 2).map(({ idHex }) => idHex),
		);
		while (open.chain.executeWaiting());
		expect(poolIds(open)).toEqual([payments[2]?.idHex]);
	});

	test("leaves an owner's later transactions for the next block once it changed its permissions", async () => {
		await open.close();
		open = await openSmall({ config: smallConfig("allowMultiSign = 1") });
		produce(open);
		const owner = users[0] as Uint8Array;
		const update = signed(open, 0, "AccountPermissionUpdateContract", permissionUpdate(owner, owner));
		open.chain.pushTransaction(update);
		const payment = transfer(open, 0, users[1] as Uint8Array, 1n);
		open.chain.pushTransaction(payment);
		expect(produce(open).transactions.map(({ idHex }) => idHex)).toEqual([update.idHex]);
		expect(poolIds(open)).toContain(payment.idHex);
		expect(produce(open).transactions.map(({ idHex }) => idHex)).toEqual([payment.idHex]);
	});

	test("loses nothing but the one transaction that brings out a bug of this program", () => {
		produce(open);
		const good = [1n, 2n].map((amount) => transfer(open, 0, users[1] as Uint8Array, amount));
		const faulty = transfer(open, 2, users[1] as Uint8Array, 3n);
		open.chain.pushTransaction(good[0] as (typeof good)[0]);
		open.chain.pushTransaction(faulty);
		open.chain.pushTransaction(good[1] as (typeof good)[0]);
		const { account } = open.chain.state;
		const { get } = account;
		account.get = (key) => {
			if (Buffer.compare(key, users[2] as Uint8Array) === 0) throw new TypeError("a fault");
			return get.call(account, key);
		};
		expect(() => produce(open)).toThrow("a fault");
		account.get = get;
		expect(new Set(produce(open).transactions.map(({ idHex }) => idHex))).toEqual(
			new Set(good.map(({ idHex }) => idHex)),
		);
	});

	test("gives the transactions of a block that fails back, but only once", () => {
		produceMany(open, 4);
		const payment = transfer(open, 0, users[1] as Uint8Array, 1n);
		open.chain.pushTransaction(payment);
		// A slot before the head: packed, and refused by the schedule.
		const early = (): unknown => produce(open, -2n);
		expect(early).toThrow(ValidateScheduleError);
		expect(poolIds(open)).toEqual([payment.idHex]);
		expect(early).toThrow(ValidateScheduleError);
		expect(poolIds(open)).toEqual([]);
	});
});

describe("an overflow of 64 bits in a transaction", () => {
	test("refuses the transaction with the network's class, instead of stopping the node", () => {
		produce(open);
		const { account } = open.chain.state;
		account.put = () => {
			throw new OverflowError("long overflow");
		};
		const payment = transfer(open, 0, users[1] as Uint8Array, 1n);
		expect(() => open.chain.pushTransaction(payment)).toThrow(
			new RuntimeRuleError("ArithmeticException", "long overflow"),
		);
		expect(poolIds(open)).toEqual([]);
	});
});

describe("a restart while the votes for a block version are being counted", () => {
	test("after any block leaves the same state as no restart", async () => {
		const directory = mkdtempSync(join(tmpdir(), "coin-gates-"));
		let restarted = await openSmall({ dataDirectory: directory });
		for (let i = 0; i < 12; i++) {
			restarted.chain.push(copyOf(produce(open)), "peer");
			await restarted.close();
			restarted = await openSmall({ dataDirectory: directory });
			const [state, expected] = [await dumpState(restarted), await dumpState(open)];
			expect([...state].filter(([key, value]) => expected.get(key) !== value)).toEqual([]);
			expect(state.size).toBe(expected.size);
		}
		expect(open.forks.passed(31)).toBe(true);
		await restarted.close();
		rmSync(directory, { recursive: true });
	});
});
