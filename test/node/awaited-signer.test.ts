import { afterEach, expect, test, vi } from "vitest";
import type { Producer } from "../../src/node/chain/packing.js";
import { scheduledWitness, slotTimeMs } from "../../src/node/consensus/slots.js";
import { sharedKeyWarnings } from "../../src/node/node-api.js";
import type { NodeCore, NodeParts } from "../../src/node/node-core.js";
import { production } from "../../src/node/node-services.js";
import { producerWithKey } from "../../src/node/production/slot-producer.js";
import { toBase58Check } from "../../src/protocol/address.js";
import { SignedBlock } from "../../src/protocol/block.js";
import { Account } from "../../src/protocol/messages.js";
import { OperatorError } from "../../src/protocol/operator-error.js";
import { defaultWitnessPermission } from "../../src/protocol/permission.js";
import { forge, keyOfWitness, openSmall, users } from "./chain/small-chain.js";

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

	const stranger = producerWithKey(new Uint8Array(32).fill(1));
	answers[0] = () => [stranger];
	await vi.advanceTimersByTimeAsync(SLOTS_MS);
	const wrong = `no block is made until the signer has the key of a witness: it has ${toBase58Check(stranger.witness)}`;
	expect([said().slice(2), parts.production?.warning()]).toEqual([[wrong], wrong]);

	const witness = scheduledWitness(open.chain.state, 1n);
	answers[0] = () => [producerWithKey(keyOfWitness(witness))];
	await vi.advanceTimersByTimeAsync(SLOTS_MS);
	expect(said().slice(3)).toEqual(["the signer answers: blocks are made from here on"]);
	expect(lines).toContain("block produced");
	expect([parts.production?.warning(), open.chain.head.number]).toEqual([undefined, 1n]);
	const last = asked;
	await vi.advanceTimersByTimeAsync(SLOTS_MS);
	expect(asked).toBe(last);
	nowMs = 0n;
	await running.stop?.();
	await open.close();
});

test("a signer that lost a slot and then answers isn't away, also where the slot is another's", async () => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	const open = await openSmall();
	const { state } = open.chain;
	let nowMs = slotTimeMs(state, 1n);
	let outcome = new OperatorError("nobody listens there");
	const producers = [1n, 2n].map((slot): Producer => {
		const own = producerWithKey(keyOfWitness(scheduledWitness(state, slot)));
		return {
			...own,
			remote: { block: () => Promise.reject(outcome) } as unknown as NonNullable<Producer["remote"]>,
		};
	});
	const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
	const config = { node: { minParticipationRate: 0, blockProducedTimeOutPercent: 50 }, block: {} };
	const parts: NodeParts = {};
	const clock = () => nowMs;
	const options = { config, producers, log };
	const core = { open, options, clock, monotonicClock: () => 0, report: vi.fn(), parts };
	const running = await production.start(core as unknown as NodeCore);
	await vi.advanceTimersByTimeAsync(SLOTS_MS);
	expect(parts.production?.warning()).toBe("the last slot was lost: nobody listens there");
	outcome = Object.assign(new OperatorError("15000 doesn't follow 15000"), { isTaken: true });
	nowMs = slotTimeMs(state, 2n);
	await vi.advanceTimersByTimeAsync(SLOTS_MS);
	expect(parts.production?.warning()).toBeUndefined();
	await running.stop?.();
	await open.close();
});

test("a start to which a signer without a key of a witness answers warns of it, until the key is a witness's", async () => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	const open = await openSmall();
	const { state } = open.chain;
	const remote = {} as unknown as NonNullable<Producer["remote"]>;
	let nowMs = 0n;
	const said = async (...producers: Producer[]): Promise<[string[], string | undefined]> => {
		const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
		const parts: NodeParts = {};
		const options = { config: { node: {}, block: {} }, producers, log };
		const core = { open, options, clock: () => nowMs, monotonicClock: () => 0, report: vi.fn(), parts };
		const running = await production.start(core as unknown as NodeCore);
		await running.stop?.();
		return [log.warn.mock.calls.map(([, text]) => text), parts.production?.warning()];
	};
	const stranger = { ...producerWithKey(new Uint8Array(32).fill(1)), remote };
	const wrong = `no block is made until the signer has the key of a witness: it has ${toBase58Check(stranger.signer)}`;
	expect(await said(stranger)).toEqual([[wrong], wrong]);
	// Its witness may be in a block that this node hasn't got yet.
	nowMs = open.chain.head.timestampMs + 3_600_001n;
	expect(await said(stranger)).toEqual([[wrong], undefined]);
	nowMs--;
	expect(await said(stranger)).toEqual([[wrong], wrong]);
	const witness = scheduledWitness(state, 1n);
	const configured = { ...stranger, witness };
	const other = `${wrong}; the blocks of ${toBase58Check(witness)} are signed with the key of ${toBase58Check(witness)}`;
	expect(await said(configured)).toEqual([[other], other]);
	const nobody = `${wrong}; ${toBase58Check(users[0] as Uint8Array)} is not a witness`;
	expect(await said({ ...stranger, witness: users[0] as Uint8Array })).toEqual([[nobody], nobody]);
	state.properties.set("ALLOW_MULTI_SIGN", 1n);
	const account = Account.copy(state.account.get(witness) as Readonly<Account>);
	account.witness_permission = defaultWitnessPermission(stranger.signer);
	state.account.put(witness, account);
	expect(await said(configured)).toEqual([[], undefined]);
	expect(await said({ ...producerWithKey(keyOfWitness(witness)), remote })).toEqual([
		[expect.any(String)],
		expect.any(String),
	]);
	await open.close();
});

test("blocks with a key of this node that it didn't make are counted for its operator", async () => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	const open = await openSmall();
	const { chain } = open;
	const witness = scheduledWitness(chain.state, 1n);
	const nowMs = slotTimeMs(chain.state, 1n);
	let uptimeMs = 0;
	const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
	const parts: NodeParts = {};
	const config = { node: {}, block: { needSyncCheck: false } };
	const options = { config, producers: [producerWithKey(keyOfWitness(witness))], log };
	const clocks = { clock: () => nowMs, monotonicClock: () => uptimeMs };
	const running = await production.start({ open, options, ...clocks, report: vi.fn(), parts } as never);
	expect(sharedKeyWarnings(parts)).toEqual([]);
	uptimeMs = 1;
	const key = keyOfWitness(witness);
	chain.push(SignedBlock.decode(forge(chain.head, nowMs, { witness, key }).bytes), "peer");
	const other = scheduledWitness(chain.state, 1n);
	const theirs = { witness: other, key: keyOfWitness(other) };
	chain.push(SignedBlock.decode(forge(chain.head, slotTimeMs(chain.state, 1n), theirs).bytes), "peer");
	expect(chain.head.number).toBe(2n);
	expect([...(parts.production?.madeElsewhere ?? [])]).toEqual([[toBase58Check(witness), 1]]);
	expect(sharedKeyWarnings(parts)).toEqual([
		`another node or signer has the key of witness ${toBase58Check(witness)}: blocks made with it since the start of this node: 1`,
	]);
	await running.stop?.();
	await open.close();
});

test("a signer that doesn't say whose a block is is told of once, whatever another signer says meanwhile", async () => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	const open = await openSmall();
	const { chain } = open;
	const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
	const producers = [1n, 2n].map((slot): Producer => {
		const own = producerWithKey(keyOfWitness(scheduledWitness(chain.state, slot)));
		const isElsewhere = async (): Promise<boolean> => {
			if (slot === 1n) throw new OperatorError("nobody listens there");
			return false;
		};
		return { ...own, remote: { isElsewhere } as unknown as NonNullable<Producer["remote"]> };
	});
	let nowMs = 0n;
	const options = { config: { node: {}, block: { needSyncCheck: false } }, producers, log };
	const clock = () => nowMs;
	const core = { open, options, clock, monotonicClock: () => 0, report: vi.fn(), parts: {} };
	const running = await production.start(core as unknown as NodeCore);
	log.warn.mockClear();
	for (let count = 0; count < 12; count++) {
		const witness = scheduledWitness(chain.state, 1n);
		nowMs = slotTimeMs(chain.state, 1n);
		chain.push(
			SignedBlock.decode(forge(chain.head, nowMs, { witness, key: keyOfWitness(witness) }).bytes),
			"peer",
		);
		await vi.advanceTimersByTimeAsync(0);
	}
	const reason = "nobody listens there";
	expect(log.warn.mock.calls).toEqual([
		[{ reason }, "the signer doesn't say whether it signed a received block of its key"],
	]);
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
