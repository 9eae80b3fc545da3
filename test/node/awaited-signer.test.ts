import { afterEach, expect, test, vi } from "vitest";
import type { Producer } from "../../src/node/chain/packing.js";
import { scheduledWitness, slotTimeMs } from "../../src/node/consensus/slots.js";
import type { NodeCore, NodeParts } from "../../src/node/node-core.js";
import { production } from "../../src/node/node-services.js";
import { producerWithKey } from "../../src/node/production/slot-producer.js";
import { OperatorError } from "../../src/protocol/operator-error.js";
import { keyOfWitness, openSmall } from "./chain/small-chain.js";

afterEach(() => void vi.useRealTimers());

/** Far more than the slot that lies between two questions. */
const SLOTS_MS = 60_000;

test("a witness whose signer is away at the start asks on, says each reason once, and makes the first block once it answers", async () => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	const open = await openSmall();
	const lines: string[] = [];
	const write = (_fields: object, text: string): void => void lines.push(text);
	const producers: Producer[] = [];
	const parts: NodeParts = {};
	let nowMs = slotTimeMs(open.chain.state, 1n);
	let asked = 0;
	const answers: (() => Producer[])[] = [];
	const ask = async (): Promise<Producer[]> => {
		asked++;
		const answer = answers[0];
		if (!answer) throw new OperatorError("no signer answers at /socket");
		return answer();
	};
	const settings = { node: { minParticipationRate: 0, blockProducedTimeOutPercent: 50 }, block: {} };
	const running = await production.start({
		open,
		options: {
			config: settings,
			producers,
			awaitedSigner: { reason: "no signer answers at /socket", ask },
			log: { info: write, warn: write, error: write },
		},
		clock: () => nowMs,
		monotonicClock: () => 0,
		report: (error: unknown) => lines.push(String(error)),
		parts,
	} as unknown as NodeCore);
	const away = "no block is made until the signer answers: no signer answers at /socket";
	const said = (): string[] => lines.filter((line) => line.includes("signer"));
	await vi.advanceTimersByTimeAsync(SLOTS_MS);
	expect([said(), parts.production?.warning()]).toEqual([[away], away]);
	expect(asked).toBe(SLOTS_MS / 3_000);

	answers[0] = () => {
		throw new OperatorError("the signer at /socket holds no key");
	};
	await vi.advanceTimersByTimeAsync(SLOTS_MS);
	expect(said().slice(1)).toEqual([
		"no block is made until the signer answers: the signer at /socket holds no key",
	]);

	const witness = scheduledWitness(open.chain.state, 1n);
	answers[0] = () => [producerWithKey(keyOfWitness(witness))];
	await vi.advanceTimersByTimeAsync(SLOTS_MS);
	expect(said().slice(2)).toEqual(["the signer answers: blocks are made from here on"]);
	expect(lines).toContain("block produced");
	expect([parts.production?.warning(), open.chain.head.number]).toEqual([undefined, 1n]);
	const last = asked;
	await vi.advanceTimersByTimeAsync(SLOTS_MS);
	expect(asked).toBe(last);
	nowMs = 0n;
	await running.stop?.();
	await open.close();
});

test("a node that ends asks no more", async () => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	const open = await openSmall();
	let answer = (_: Producer[]): void => {};
	const ask = vi.fn(() => new Promise<Producer[]>((resolve) => (answer = resolve)));
	const producers: Producer[] = [];
	const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
	const options = { config: { node: {}, block: {} }, producers, awaitedSigner: { reason: "away", ask }, log };
	const core = { open, options, clock: () => 0n, monotonicClock: () => 0, report: vi.fn(), parts: {} };
	const running = await production.start(core as unknown as NodeCore);
	await vi.advanceTimersByTimeAsync(SLOTS_MS);
	await running.stop?.();
	answer([producerWithKey(new Uint8Array(32).fill(1))]);
	await vi.advanceTimersByTimeAsync(SLOTS_MS);
	expect([ask.mock.calls.length, producers]).toEqual([1, []]);
	await open.close();
});
