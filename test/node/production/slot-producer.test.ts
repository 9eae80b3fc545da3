import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { SlotProducer } from "../../../src/node/production/slot-producer.js";
import { producerWithKey } from "../../../src/node/production/witness-keys.js";
import { LostSlotError } from "../../../src/node/rules/errors.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { forge, keyOfWitness, openSmall, produceMany } from "../chain/small-chain.js";

let open: OpenChain;
let nowMs: bigint;
let uptimeMs: number;
let produced: string[];
let failures: unknown[];
let isReceiving: boolean;
beforeEach(async () => {
	open = await openSmall();
	produceMany(open, 2);
	nowMs = slotTimeMs(open.chain.state, 1n);
	uptimeMs = 0;
	[produced, failures] = [[], []];
	isReceiving = false;
});
afterEach(() => open.close());

function producerOfNextSlot(): SlotProducer {
	const witness = scheduledWitness(open.chain.state, 1n);
	return new SlotProducer({
		chain: open.chain,
		producers: [producerWithKey(keyOfWitness(witness))],
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
		const witness = scheduledWitness(open.chain.state, 1n);
		const timestampMs = slotTimeMs(open.chain.state, 1n);
		const other = forge(open.chain.head, timestampMs, { witness, key: keyOfWitness(witness) });
		open.chain.push(SignedBlock.decode(other.bytes), "peer");
		nowMs += 600_000n;
		expect(producer.tryProduce()).toBe("DUP_WITNESS");
		uptimeMs = 80_999;
		expect(producer.tryProduce()).toBe("DUP_WITNESS");
		uptimeMs = 81_000;
		expect(producer.tryProduce()).not.toBe("DUP_WITNESS");
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
