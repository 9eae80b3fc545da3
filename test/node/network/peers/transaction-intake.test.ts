import { describe, expect, it } from "vitest";
import type { Peer } from "../../../../src/node/network/peers/peer.js";
import type { PeerWorld } from "../../../../src/node/network/peers/peer-world.js";
import { TransactionIntake } from "../../../../src/node/network/peers/transactions.js";
import type { SignedTransaction } from "../../../../src/node/network/wire/application-messages.js";
import { VerificationBusyError } from "../../../../src/node/signatures/post-quantum-queue.js";

/** Takes this long, in milliseconds of the world's clock. */
const SLOW_MS = 80;

function build() {
	let nowMs = 0;
	const taken: string[] = [];
	const soon: (() => void)[] = [];
	const proving: {
		readonly idHex: string;
		readonly resolve: () => void;
		readonly reject: (error: Error) => void;
	}[] = [];
	const world = {
		now: () => nowMs,
		environment: { soon: (task: () => void) => soon.push(task) },
		log: { debug: () => {} },
		settings: { release: "4.8.2", maxWaitingTransactions: 50_000 },
		chain: {
			nextSlotMs: 0n,
			queuedTransactions: 0,
			isPoolFull: false,
			needsPreparing: ({ idHex }: SignedTransaction) => idHex.startsWith("proof"),
			signatureFormRefusal: () => undefined,
			prepareTransaction: ({ idHex }: SignedTransaction) =>
				new Promise<void>((resolve, reject) => proving.push({ idHex, resolve, reject })),
			submit: ({ idHex }: SignedTransaction) => {
				taken.push(idHex);
				nowMs += SLOW_MS;
				return { kind: "refused", message: "no" };
			},
		},
		disconnect: () => {},
	} as unknown as PeerWorld;
	const advertisement = { wasAsked: () => true, arrived: () => {}, knowsTransaction: () => false };
	const intake = new TransactionIntake(world, advertisement as never);
	return { intake, taken, soon, proving };
}

const transaction = (name: string, size = 100): SignedTransaction =>
	({
		bytes: new Uint8Array(size),
		idHex: name,
		id: Buffer.from(name),
		contract: {},
		message: { signature: [new Uint8Array(65)] },
		raw: { expiration: 1n },
	}) as unknown as SignedTransaction;

describe("transactions that take long", () => {
	it("end a turn each, whichever peer sent them, and peers take turns", () => {
		const { intake, taken, soon } = build();
		const [a, b] = [{} as Peer, {} as Peer];
		intake.receive(
			a,
			["a1", "a2", "a3"].map((name) => transaction(name)),
		);
		intake.receive(
			b,
			["b1"].map((name) => transaction(name)),
		);
		expect(taken).toEqual([]);
		const turns: string[][] = [];
		for (let task = soon.shift(); task; task = soon.shift()) {
			task();
			turns.push(taken.splice(0));
		}
		expect(turns).toEqual([["a1"], ["b1"], ["a2"], ["a3"]]);
	});

	it("are forgotten with their peer", () => {
		const { intake, taken, soon } = build();
		const [a, b] = [{} as Peer, {} as Peer];
		intake.receive(
			a,
			["a1", "a2"].map((name) => transaction(name)),
		);
		intake.receive(
			b,
			["b1"].map((name) => transaction(name)),
		);
		intake.peerLeft(a);
		while (soon.length > 0) soon.shift()?.();
		expect(taken).toEqual(["b1"]);
	});

	it("are dropped beyond 12 MiB, and taken again once the others are done or gone", () => {
		const { intake, taken, soon } = build();
		const [a, b] = [{} as Peer, {} as Peer];
		intake.receive(a, [transaction("a1", 8 << 20), transaction("a2", 4 << 20), transaction("a3")]);
		expect(intake.isBusy()).toBe(true);
		intake.receive(b, [transaction("b1")]);
		soon.shift()?.();
		expect([taken, intake.isBusy()]).toEqual([["a1"], false]);
		intake.peerLeft(a);
		intake.receive(b, [transaction("b2", 12 << 20)]);
		expect(intake.isBusy()).toBe(true);
		while (soon.length > 0) soon.shift()?.();
		expect([taken, intake.isBusy()]).toEqual([["a1", "b2"], false]);
	});
});

describe("transactions with proofs", () => {
	const run = (soon: (() => void)[]) => {
		for (let task = soon.shift(); task; task = soon.shift()) task();
	};
	const names = (from: number, to: number) =>
		Array.from({ length: to - from }, (_, i) => transaction(`proof${from + i}`));

	it("are taken when their proofs have been checked, and nothing waits behind them", async () => {
		const { intake, taken, soon, proving } = build();
		const peer = {} as Peer;
		intake.receive(peer, [transaction("proof1"), transaction("plain")]);
		run(soon);
		expect(taken).toEqual(["plain"]);
		expect(proving.map(({ idHex }) => idHex)).toEqual(["proof1"]);
		proving[0]?.resolve();
		await Promise.resolve();
		run(soon);
		expect(taken).toEqual(["plain", "proof1"]);
		expect(proving.length).toBe(1);
	});

	it("are checked a few at a time, those of each peer in turn", async () => {
		const { intake, taken, soon, proving } = build();
		const [a, b] = [{} as Peer, {} as Peer];
		intake.receive(a, names(0, 20));
		run(soon);
		expect(proving.length).toBe(8);
		intake.receive(b, [transaction("proof of b")]);
		run(soon);
		for (const { resolve } of proving.splice(0)) resolve();
		await new Promise(setImmediate);
		expect(proving.map(({ idHex }) => idHex)).toContain("proof of b");
		for (; proving.length > 0; await new Promise(setImmediate)) {
			for (const { resolve } of proving.splice(0)) resolve();
		}
		run(soon);
		expect(taken.length).toBe(21);
		expect(intake.isBusy()).toBe(false);
	});

	it("are dropped where they may not wait to be checked, and others get their places", async () => {
		const { intake, taken, soon, proving } = build();
		intake.receive({} as Peer, names(0, 9));
		run(soon);
		for (const { reject } of proving.splice(0)) reject(new VerificationBusyError());
		await new Promise(setImmediate);
		expect(proving.map(({ idHex }) => idHex)).toEqual(["proof8"]);
		proving[0]?.resolve();
		await Promise.resolve();
		run(soon);
		expect(taken).toEqual(["proof8"]);
		// Their bytes are free again.
		intake.receive({} as Peer, [transaction("plain", (12 << 20) - 1)]);
		expect(intake.isBusy()).toBe(false);
	});

	it("are forgotten with their peer, those included that are being checked", async () => {
		const { intake, taken, soon, proving } = build();
		const peer = {} as Peer;
		intake.receive(peer, [
			...names(0, 20),
			...Array.from({ length: 32 }, (_, i) => transaction(`${i}`, 1 << 20)),
		]);
		expect(intake.isBusy()).toBe(true);
		soon.shift()?.();
		soon.shift()?.();
		intake.peerLeft(peer);
		expect(intake.isBusy()).toBe(false);
		const before = taken.length;
		for (const { resolve } of proving.splice(0)) resolve();
		await new Promise(setImmediate);
		run(soon);
		expect(taken.length).toBe(before);
		expect(proving).toEqual([]);
	});
});
