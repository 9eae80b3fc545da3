import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import type { Producer } from "../../../src/node/chain/packing.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { producerWithKey, SlotProducer } from "../../../src/node/production/slot-producer.js";
import { LostSlotError } from "../../../src/node/rules/errors.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { concatBytes, toHex } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { OperatorError } from "../../../src/protocol/operator-error.js";
import { forge, keyOfWitness, openSmall, produceMany, transfer, users } from "../chain/small-chain.js";

let open: OpenChain;
let nowMs: bigint;
let uptimeMs: number;
let produced: string[];
let failures: unknown[];
let doubles: string[];
let unchecked: string[];
let isReceiving: boolean;
beforeEach(async () => {
	open = await openSmall();
	produceMany(open, 2);
	nowMs = slotTimeMs(open.chain.state, 1n);
	uptimeMs = 0;
	[produced, failures, doubles, unchecked] = [[], [], [], []];
	isReceiving = false;
});
afterEach(() => open.close());

function producerOfNextSlot(): SlotProducer {
	return slotProducer(producerWithKey(keyOfWitness(scheduledWitness(open.chain.state, 1n))));
}

function slotProducer(...own: readonly Producer[]): SlotProducer {
	return new SlotProducer({
		chain: open.chain,
		producers: own,
		clock: () => nowMs,
		monotonicClock: () => uptimeMs,
		minParticipationPercent: 0,
		packingPercent: 50,
		needSyncCheck: false,
		isMaster: () => true,
		isReceiving: () => isReceiving,
		onProduced: ({ block }) => produced.push(block.idHex),
		onSkipped: () => {},
		onFailure: (error) => failures.push(error),
		onDouble: ({ idHex }) => doubles.push(idHex),
		onUncheckedDouble: (_witness, error) => error !== undefined && unchecked.push(String(error)),
	});
}

const pause = (): unknown => vi.advanceTimersByTime(50);

beforeEach(() => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
	vi.useRealTimers();
});

describe("a slot of this node", () => {
	test("is packed and announced at once, applied after a pause", () => {
		const announced: string[] = [];
		open.chain.observe({ produced: (block) => announced.push(block.idHex) });
		const producer = producerOfNextSlot();
		expect(producer.tryProduce()).toBe("PRODUCED");
		expect(announced).toHaveLength(1);
		expect(open.chain.head.number).toBe(2n);
		pause();
		expect(open.chain.head.number).toBe(3n);
		expect(produced).toEqual(announced);
		producer.stop();
	});

	test("has one block, also where a timer is early or the clock is set back a little", () => {
		const announced: bigint[] = [];
		open.chain.observe({ produced: (block) => announced.push(block.timestampMs) });
		const own = [...new Array(3).keys()].map((k) => scheduledWitness(open.chain.state, BigInt(k + 1)));
		const producer = slotProducer(...own.map((witness) => producerWithKey(keyOfWitness(witness))));
		const slotMs = nowMs;
		open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, 5n));
		nowMs = slotMs - 1n;
		expect(producer.tryProduce()).toBe("PRODUCED");
		nowMs = slotMs;
		expect(producer.tryProduce()).toBe("NOT_TIME_YET");
		pause();
		expect(announced).toEqual([slotMs]);
		expect(open.chain.head.transactions).toHaveLength(1);
		producer.stop();
	});

	test("is woken for once", () => {
		const producer = slotProducer();
		const look = vi.spyOn(producer, "tryProduce");
		nowMs -= 100n;
		const wait = (ms: number): void => {
			nowMs += BigInt(ms);
			vi.advanceTimersByTime(ms);
		};
		producer.start();
		// The timer is a moment early by the clock.
		nowMs -= 3n;
		wait(100);
		for (let i = 0; i < 60; i++) wait(100);
		expect(look).toHaveBeenCalledTimes(3);
		producer.stop();
	});

	test("is tried also where the wake before it was late and took long", () => {
		const woken: bigint[] = [];
		vi.spyOn(open.chain, "prepareBlock").mockImplementation(({ timestampMs }) => {
			woken.push(timestampMs);
			throw new LostSlotError(3n);
		});
		const others = [1n, 2n, 3n, 4n, 5n].map((k) => scheduledWitness(open.chain.state, k));
		const all = slotProducer(...others.map((witness) => producerWithKey(keyOfWitness(witness))));
		const slotMs = nowMs;
		nowMs = slotMs - 50n;
		all.start();
		// It should have woken 50 ms later, and its work ends 49 ms before the next slot.
		nowMs = slotMs + 2_947n;
		vi.advanceTimersByTime(50);
		nowMs = slotMs + 3_000n;
		vi.advanceTimersByTime(53);
		expect(woken).toEqual([slotMs, slotMs + 3_000n]);
		all.stop();
	});

	test("is packed until a transaction as long as the longest so far would end too late", () => {
		const prepare = vi.spyOn(open.chain, "prepareBlock");
		const producer = producerOfNextSlot();
		producer.tryProduce();
		const expired = prepare.mock.calls[0]?.[0].expired as () => boolean;
		const askAt = (ms: number): boolean => {
			uptimeMs = ms;
			return expired();
		};
		expect([0, 10, 90, 660, 670].map(askAt)).toEqual([false, false, false, true, true]);
		producer.stop();
	});

	test("has short transactions to the end of its time", () => {
		const prepare = vi.spyOn(open.chain, "prepareBlock");
		const producer = producerOfNextSlot();
		producer.tryProduce();
		const expired = prepare.mock.calls[0]?.[0].expired as () => boolean;
		for (uptimeMs = 10; !expired() && uptimeMs < 2000; uptimeMs += 10);
		expect(uptimeMs).toBe(750);
		producer.stop();
	});

	test("is not lost when production stops in between", () => {
		const producer = producerOfNextSlot();
		producer.tryProduce();
		producer.stop();
		expect(open.chain.head.number).toBe(3n);
		expect(failures).toEqual([]);
	});

	test("is left out for 27 slots after another node used the key, however the wall clock is set", () => {
		const producer = producerOfNextSlot();
		uptimeMs = 1;
		const witness = scheduledWitness(open.chain.state, 1n);
		const timestampMs = slotTimeMs(open.chain.state, 1n);
		const other = forge(open.chain.head, timestampMs, { witness, key: keyOfWitness(witness) });
		open.chain.push(SignedBlock.decode(other.bytes), "peer");
		expect(doubles).toHaveLength(1);
		nowMs += 600_000n;
		expect(producer.tryProduce()).toBe("DUP_WITNESS");
		uptimeMs = 81_000;
		expect(producer.tryProduce()).toBe("DUP_WITNESS");
		uptimeMs = 81_001;
		expect(producer.tryProduce()).not.toBe("DUP_WITNESS");
		producer.stop();
	});

	test("is left out, too, after a block from before the start, which may be of the process before", () => {
		const producer = producerOfNextSlot();
		const witness = scheduledWitness(open.chain.state, 1n);
		const own = forge(open.chain.head, nowMs, { witness, key: keyOfWitness(witness) });
		open.chain.push(SignedBlock.decode(own.bytes), "peer");
		expect([producer.tryProduce(), doubles]).toEqual(["DUP_WITNESS", []]);
		producer.stop();
	});

	test("is left out, too, where the key isn't its witness's any more, but nobody else has that key", () => {
		const witness = scheduledWitness(open.chain.state, 1n);
		const producer = slotProducer(producerWithKey(new Uint8Array(32).fill(9), witness));
		uptimeMs = 1;
		const timestampMs = slotTimeMs(open.chain.state, 1n);
		const other = forge(open.chain.head, timestampMs, { witness, key: keyOfWitness(witness) });
		open.chain.push(SignedBlock.decode(other.bytes), "peer");
		expect([producer.tryProduce(), doubles]).toEqual(["DUP_WITNESS", []]);
		producer.stop();
	});

	test("may be lost to a block that comes first", () => {
		const producer = producerOfNextSlot();
		producer.tryProduce();
		const witness = scheduledWitness(open.chain.state, 2n);
		const other = forge(open.chain.head, slotTimeMs(open.chain.state, 2n), {
			witness,
			key: keyOfWitness(witness),
		});
		open.chain.push(SignedBlock.decode(other.bytes), "peer");
		pause();
		expect(open.chain.head.idHex).toBe(other.idHex);
		expect(failures[0]).toBeInstanceOf(LostSlotError);
		producer.stop();
	});

	test("is lost, not failed, when so many blocks came that its parent is too far below", () => {
		const producer = producerOfNextSlot();
		producer.tryProduce();
		for (let i = 0; i < 60; i++) pushNext();
		pause();
		expect(open.chain.head.number).toBe(62n);
		expect(failures).toEqual([expect.any(LostSlotError)]);
		producer.stop();
	});
});

/** A block of a peer, in the next slot. */
function pushNext(): void {
	const { state, head } = open.chain;
	const witness = scheduledWitness(state, 1n);
	const other = forge(head, slotTimeMs(state, 1n), { witness, key: keyOfWitness(witness) });
	open.chain.push(SignedBlock.decode(other.bytes), "peer");
}

describe("slots while a peer sends blocks that this node lacks", () => {
	test("pass after a start until the head has been current once", () => {
		const producer = producerOfNextSlot();
		isReceiving = true;
		nowMs += 30_000n;
		expect(producer.tryProduce()).toBe("NOT_SYNCED");
		nowMs = slotTimeMs(open.chain.state, 1n);
		expect(producer.tryProduce()).toBe("PRODUCED");
		producer.stop();
		nowMs += 30_000n;
		expect(producer.tryProduce()).not.toBe("NOT_SYNCED");
	});

	test("are used by whoever has the block of the slot before, though the timer wakes a little late", () => {
		const producer = producerOfNextSlot();
		isReceiving = true;
		nowMs = slotTimeMs(open.chain.state, 1n) + 80n;
		expect(producer.tryProduce()).toBe("PRODUCED");
		producer.stop();
	});

	test("are used where no peer is", () => {
		const producer = producerOfNextSlot();
		nowMs += 30_000n;
		expect(producer.tryProduce()).not.toBe("NOT_SYNCED");
		producer.stop();
	});
});

describe("a slot of a key that is elsewhere", () => {
	/** @param answer of the signer */
	function remoteProducer(
		answer: (header: Uint8Array) => Promise<Uint8Array>,
		prepare = (): void => undefined,
		isElsewhere = async (_: Uint8Array, _signature: Uint8Array): Promise<boolean> => false,
	): SlotProducer {
		const witness = scheduledWitness(open.chain.state, 1n);
		const { sign: _, ...local } = producerWithKey(keyOfWitness(witness));
		const never = (): never => {
			throw new Error("signs elsewhere");
		};
		const remote = { prepare, isElsewhere, block: answer, hello: never, vote: never };
		return slotProducer({ ...local, sign: never, remote });
	}
	const signedAt = async (header: Uint8Array): Promise<Uint8Array> =>
		producerWithKey(keyOfWitness(scheduledWitness(open.chain.state, 1n))).sign(sha256(header));
	const turns = async (): Promise<void> => {
		for (let turn = 0; turn < 10; turn++) await Promise.resolve();
	};

	test("gets its block once the signature is there", async () => {
		const producer = remoteProducer(signedAt);
		expect(producer.tryProduce()).toBe("PRODUCED");
		await turns();
		pause();
		expect(produced).toEqual([toHex(open.chain.head.id)]);
		expect(open.chain.head.number).toBe(3n);
		producer.stop();
	});

	test("has its signer's connection opened one slot ahead, and that of no other slot", async () => {
		const prepared: bigint[] = [];
		const slotMs = nowMs;
		const producer = remoteProducer(signedAt, () => prepared.push(nowMs));
		nowMs -= 3_100n;
		producer.start();
		// Five witnesses take turns, and no other block comes.
		for (let slot = 0; slot <= 5; slot++) {
			nowMs = slotMs + BigInt(slot - 1) * 3_000n;
			vi.advanceTimersByTime(slot === 0 ? 100 : 3_000);
			await turns();
		}
		expect(prepared).toEqual([slotMs - 3_000n, slotMs + 12_000n]);
		producer.stop();
	});

	test("is left out for 27 slots after a block that its signer didn't sign, not after one of another node with the signer", async () => {
		const witness = scheduledWitness(open.chain.state, 1n);
		const asked: string[] = [];
		const answers: (boolean | Error)[] = [false, new Error("away"), true];
		const producer = remoteProducer(signedAt, undefined, async (header, signature) => {
			asked.push(toHex(concatBytes(sha256(header), signature)));
			const answer = answers.shift();
			if (typeof answer !== "boolean") throw answer;
			return answer;
		});
		const received: SignedBlock[] = [];
		const receive = async (): Promise<void> => {
			const block = SignedBlock.decode(
				forge(open.chain.head, nowMs, { witness, key: keyOfWitness(witness) }).bytes,
			);
			received.push(block);
			open.chain.push(block, "peer");
			await turns();
			// Five witnesses take turns.
			nowMs += 15_000n;
		};
		const produce = async (): Promise<string> => {
			const state = producer.tryProduce();
			await turns();
			pause();
			nowMs += 15_000n;
			return state;
		};
		await receive();
		expect([await produce(), doubles, unchecked]).toEqual(["PRODUCED", [], []]);
		await receive();
		expect([await produce(), doubles, unchecked]).toEqual(["PRODUCED", [], ["Error: away"]]);
		await receive();
		expect(await produce()).toBe("DUP_WITNESS");
		expect(doubles).toEqual([received[2]?.idHex]);
		uptimeMs += 81_000;
		expect(await produce()).toBe("PRODUCED");
		const sent = received.map(({ rawHash, header }) => concatBytes(rawHash, header.witness_signature));
		expect(asked).toEqual(sent.map(toHex));
		producer.stop();
	});

	test("is lost where the signer refuses: its transactions are pending still, and the next slot has them", async () => {
		const transaction = transfer(open, 0, users[1] as Uint8Array, 1n);
		open.chain.pushTransaction(transaction);
		let isAway = true;
		const producer = remoteProducer(async (header) => {
			if (isAway) throw new OperatorError("away");
			return signedAt(header);
		});
		for (let time = 0; time < 3; time++) {
			producer.tryProduce();
			await turns();
			// Five witnesses take turns.
			nowMs += 15_000n;
		}
		expect(failures.map(String)).toEqual(Array(3).fill("OperatorError: away"));
		expect(open.chain.pool.list().map(({ transaction: { idHex } }) => idHex)).toEqual([transaction.idHex]);
		isAway = false;
		producer.tryProduce();
		await turns();
		pause();
		expect(open.chain.blockByNumber(3n)?.transactions.map(({ idHex }) => idHex)).toEqual([transaction.idHex]);
		producer.stop();
	});

	test("is lost where another block came before the signature: nothing is published", async () => {
		const announced: string[] = [];
		open.chain.observe({ produced: (block) => announced.push(block.idHex) });
		let answer = (_: Uint8Array): void => undefined;
		const producer = remoteProducer(
			() =>
				new Promise((resolve) => {
					answer = resolve;
				}),
		);
		producer.tryProduce();
		await turns();
		produceMany(open, 1);
		announced.length = 0;
		answer(new Uint8Array(65));
		await turns();
		expect(failures).toEqual([expect.any(LostSlotError)]);
		expect(announced).toEqual([]);
		producer.stop();
	});
});
