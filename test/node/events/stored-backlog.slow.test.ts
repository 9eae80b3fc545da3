import {
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventConfig } from "../../../src/node/config/event-config.js";
import type { Delivery } from "../../../src/node/events/delivery.js";
import { EventBudget, eventBudget } from "../../../src/node/events/event-budget.js";
import { createEventService } from "../../../src/node/events/event-service.js";
import type { EventKind } from "../../../src/node/events/receivers/event-message.js";
import {
	type Publication,
	type Receiver,
	RefusedError,
} from "../../../src/node/events/receivers/receiver.js";
import { atOnce } from "../../../src/node/scheduling/sliced-work.js";
import { FakeChain, storedDelivery, unsliced } from "./fake-chain.js";

let directory: string;
let file: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "outbox-"));
	file = join(directory, "events", "a.outbox");
});
afterEach(() => rmSync(directory, { recursive: true }));

const KINDS: readonly EventKind[] = ["block", "transaction", "contractlog", "soliditylog", "solidity"];

function configOf(version: 0 | 1, more: Partial<EventConfig> = {}): EventConfig {
	return {
		version,
		startBlock: 0n,
		parsesLogs: true,
		tellsRemoved: true,
		topics: new Map(
			KINDS.map((kind) => [kind, { redundancy: false, ethCompatible: false, solidified: false }]),
		),
		filter: undefined,
		receivers: [],
		...more,
	};
}

/** A receiver that keeps what it takes, over the lives of deliveries. */
class Shelf implements Receiver {
	readonly told: Publication[] = [];
	/** Asked before and after each delivery is kept; throws what the delivery ends with. */
	before: () => void | Promise<void> = () => {};
	after: () => void | Promise<void> = () => {};
	closed = 0;

	async deliver(told: readonly Publication[]): Promise<void> {
		await this.before();
		this.told.push(...told);
		await this.after();
	}

	async close(): Promise<void> {
		this.closed++;
	}

	get ids(): readonly string[] {
		return this.told.map(({ id }) => id);
	}

	get texts(): readonly string[] {
		return this.told.map(({ message }) => message.json);
	}
}

const NEVER = new Promise<never>(() => {});

interface Life {
	readonly delivery: Pick<Delivery, "counts" | "observer" | "stop">;
	readonly warnings: string[];
	readonly pauses: number[];
}

function live(
	chain: FakeChain,
	receiver: Receiver,
	config: EventConfig,
	at: string | null = file,
	budget?: EventBudget,
	slice = unsliced,
): Life {
	const warnings: string[] = [];
	const pauses: number[] = [];
	const delivery = storedDelivery({
		config,
		chain: chain.view,
		receiver,
		file: at ?? undefined,
		formerFile: at?.replace(".outbox", ".told"),
		budget: budget ?? eventBudget("a", (text) => warnings.push(text)),
		pause: async (ms) => {
			pauses.push(ms);
		},
		slice,
		warn: (text) => warnings.push(text),
	});
	chain.observe(delivery.observer);
	delivery.start();
	return { delivery, warnings, pauses };
}

async function settled(): Promise<void> {
	for (let turn = 0; turn < 300; turn++) await Promise.resolve();
	await new Promise((resolve) => setImmediate(resolve));
}

async function waitFor(condition: () => boolean): Promise<void> {
	for (let turn = 0; turn < 2_000 && (turn < 5 || !condition()); turn++) await settled();
	expect(condition()).toBe(true);
}

const caughtUp = ({ delivery }: Life): boolean => delivery.counts.lag === 0;

/** What the service tells that is not a copy of it: the native queue's. */
function toldDirectly(chain: FakeChain, config: EventConfig) {
	const texts: string[] = [];
	const service = createEventService({
		config,
		chain: chain.view,
		outlet: ({ json }) => texts.push(json),
		budget: new EventBudget(() => {}),
		pause: async () => {},
		warn: () => {},
		run: atOnce,
	});
	void service.start();
	chain.observe(service.observer);
	return { texts, flush: () => service.flush?.() };
}

describe.each([0, 1] as const)("a delivery at least once, version %i", (version) => {
	const config = configOf(version);

	it("leaves out an event that is too long, and publishes all others", async () => {
		const chain = new FakeChain();
		const shelf = new Shelf();
		const leftOut: string[] = [];
		const budget = new EventBudget(
			({ what, block, index }, reason) => leftOut.push(`${what} ${block} ${index}: ${reason}`),
			{ event: 20_000, block: 1 << 20, kept: 1 << 20 },
		);
		const life = live(chain, shelf, config, file, budget);
		chain.push(2);
		chain.logBytes = 10_000;
		chain.push(1);
		chain.logBytes = 1;
		chain.push(6);
		await waitFor(() => caughtUp(life));
		const logs = shelf.told.filter(({ message }) => message.kind === "contractlog");
		expect(logs.map(({ message }) => message.body["blockNumber"])).toEqual([1n, 2n, 4n, 5n, 6n, 7n, 8n, 9n]);
		const blocks = shelf.told.filter(({ message }) => message.kind === "block");
		expect(blocks).toHaveLength(9);
		expect(new Set(leftOut)).toEqual(new Set(["log 3 0: it is longer than 20000 characters"]));
		expect(life.delivery.counts.leftOut).toBe(leftOut.length);
		expect(life.delivery.counts.lost).toBe(0);
	});

	it("waits at a block that can't be read, and goes on with a later one once it can", async () => {
		const chain = new FakeChain();
		const shelf = new Shelf();
		const life = live(chain, shelf, config);
		chain.push(2);
		await waitFor(() => caughtUp(life));
		chain.missing.add(3);
		chain.push(1);
		await settled();
		chain.push(1);
		await waitFor(() => life.warnings.length > 0);
		expect(life.warnings).toEqual(["events of a wait: block 3 is not stored"]);
		expect(life.delivery.counts.position).toBe(2);
		chain.missing.clear();
		chain.push(1);
		await waitFor(() => caughtUp(life));
		const blocks = shelf.told.filter(({ message }) => message.kind === "block");
		expect(blocks.map(({ message }) => message.body["blockNumber"])).toEqual([1n, 2n, 3n, 4n, 5n]);
	});

	it("tells what the native queue tells, in its order", async () => {
		const chain = new FakeChain();
		const direct = toldDirectly(chain, config);
		const shelf = new Shelf();
		const life = live(chain, shelf, config);
		for (let count = 0; count < 12; count++) {
			chain.push(1);
			direct.flush();
			await settled();
		}
		await waitFor(() => caughtUp(life));
		expect(shelf.texts).toEqual(direct.texts);
		expect(new Set(shelf.ids).size).toBe(shelf.ids.length);
		expect(life.delivery.counts).toEqual({
			name: "a",
			position: 12,
			lag: 0,
			errors: 0,
			sent: shelf.told.length,
			lost: 0,
			leftOut: 0,
		});
	});

	it("tells everything, and twice only the same, whenever it is killed", async () => {
		for (let kill = 0; kill < 60; kill++) {
			rmSync(file, { force: true });
			const chain = new FakeChain();
			const shelf = new Shelf();
			let deliveries = 0;
			let isDead = false;
			const die = (isAfter: boolean) => (): void | Promise<void> => {
				if (isDead) return NEVER;
				if (Math.floor(kill / 2) !== deliveries++ || (kill % 2 === 1) !== isAfter) return;
				isDead = true;
				return NEVER;
			};
			if (kill % 2 === 0) shelf.before = die(false);
			else shelf.after = die(true);
			live(chain, shelf, config);
			const act = (step: number): void => {
				if (step === 9) chain.switch(2, 3, 1);
				else if (step === 12) chain.switch(1, 2, 2);
				else chain.push(1, step % 3);
			};
			let step = 0;
			for (; step < 22 && !isDead; step++) {
				act(step);
				await settled();
			}
			shelf.before = () => {};
			shelf.after = () => {};
			chain.forgetObservers();
			// What was told last may leave the chain while nobody looks.
			if (kill % 3 === 0 && chain.ids.length > 3) chain.switch(2, 3, 5);
			const life = live(chain, shelf, config);
			for (; step < 24; step++) {
				act(step);
				await settled();
			}
			await waitFor(() => caughtUp(life));
			const byId = new Map<string, string>();
			for (const { id, message } of shelf.told) {
				expect(byId.get(id) ?? message.json).toBe(message.json);
				byId.set(id, message.json);
			}
			const onChain = new Set(chain.ids);
			for (const id of onChain)
				expect(byId.has(`blockTrigger/${id}`), `block ${id} of kill ${kill}`).toBe(true);
			const logs = [...byId.keys()].filter((id) => id.startsWith("contractLogTrigger/"));
			for (const id of logs) {
				const isLeft = ![...onChain].some((block) => id.includes(block));
				const wasTaken = logs.includes(`${id.replace("/removed", "")}/removed`);
				if (isLeft) expect(wasTaken, `${id} of kill ${kill}`).toBe(true);
			}
			const solid = [...byId.values()].filter((text) => text.includes('"solidityTrigger"')).length;
			expect(solid).toBe(chain.solidNumber);
			await life.delivery.stop();
		}
	});

	it("goes on in the middle of a long way, each time", async () => {
		const chain = new FakeChain();
		const shelf = new Shelf();
		const first = live(chain, shelf, config);
		await settled();
		await first.delivery.stop();
		chain.push(300);
		for (let life = 0; life < 5; life++) {
			chain.forgetObservers();
			let deliveries = 0;
			shelf.after = () => (++deliveries === 3 ? NEVER : undefined);
			live(chain, shelf, config);
			await settled();
		}
		shelf.after = () => {};
		const last = live(chain, shelf, config);
		await waitFor(() => caughtUp(last));
		const ids = (kind: string): string[] => [...new Set(shelf.ids)].filter((id) => id.startsWith(`${kind}/`));
		expect(ids("blockTrigger")).toEqual(chain.ids.map((id) => `blockTrigger/${id}`));
		expect(ids("contractLogTrigger")).toHaveLength(300);
		expect(ids("solidityTrigger")).toHaveLength(297);
		expect(ids("solidityLogTrigger")).toHaveLength(297);
	});

	it("takes back what it told of blocks that left while the node was down", async () => {
		const chain = new FakeChain();
		const shelf = new Shelf();
		const first = live(chain, shelf, config);
		chain.push(6);
		await waitFor(() => caughtUp(first));
		const left = chain.ids.slice(-2);
		await first.delivery.stop();
		chain.forgetObservers();
		chain.switch(2, 3, 7);
		const before = shelf.ids.length;
		const second = live(chain, shelf, config);
		await waitFor(() => caughtUp(second));
		const told = shelf.ids.slice(before);
		const removed = told.filter((id) => id.startsWith("contractLogTrigger/") && id.endsWith("/removed"));
		expect(removed.map((id) => left.findIndex((block) => id.includes(block)))).toEqual([1, 0]);
		expect(told.filter((id) => id.startsWith("blockTrigger/"))).toEqual(
			[...left.toReversed().map((id) => `${id}/removed`), ...chain.ids.slice(-3)].map(
				(id) => `blockTrigger/${id}`,
			),
		);
		expect(second.warnings).toEqual([]);
	});

	it("gives what comes back to the chain another id", async () => {
		const chain = new FakeChain();
		const shelf = new Shelf();
		const life = live(chain, shelf, config);
		chain.push(4);
		await waitFor(() => caughtUp(life));
		chain.switch(1, 2, 1);
		await waitFor(() => caughtUp(life));
		chain.switch(2, 3, 0);
		await waitFor(() => caughtUp(life));
		const logs = shelf.ids.filter(
			(id) => id.startsWith("contractLogTrigger/") && id.includes(String(chain.ids[3])),
		);
		expect(logs.map((id) => id.split("/").slice(3).join("/"))).toEqual(["", "removed", "2"]);
	});

	it("is told again after each refusal, after longer and longer pauses, and holds up nobody", async () => {
		const chain = new FakeChain();
		const shelf = new Shelf();
		let refusals = 9;
		shelf.before = () => {
			if (refusals-- > 0) throw new Error("the broker\n\u001b[31m is gone");
		};
		const life = live(chain, shelf, config);
		chain.push(1_000);
		await waitFor(() => caughtUp(life));
		expect(shelf.ids.filter((id) => id.startsWith("blockTrigger/"))).toEqual(
			chain.ids.map((id) => `blockTrigger/${id}`),
		);
		expect(life.pauses.filter((ms) => ms > 0)).toEqual([
			250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
		]);
		expect(life.warnings).toEqual(["events of a wait at block 1: the broker [31m is gone"]);
		expect(life.delivery.counts).toMatchObject({ errors: 9, lag: 0, position: 1_000 });
	});

	it("leaves out what is refused for good, and nothing else", async () => {
		const chain = new FakeChain();
		const shelf = new Shelf();
		const refusing: Receiver = {
			deliver: async (told) => {
				if (told.some(({ id }) => id.startsWith("transactionTrigger/"))) throw new RefusedError("too long");
				await shelf.deliver(told);
			},
			close: () => shelf.close(),
		};
		const life = live(chain, refusing, config);
		chain.push(2);
		await waitFor(() => caughtUp(life));
		expect(shelf.ids.filter((id) => !id.startsWith("solidity"))).toHaveLength(4);
		expect(life.delivery.counts.lost).toBe(2);
		expect(life.warnings[0]).toContain("is left out, since it is refused: too long");
	});

	it("goes on after a development chain was put back below the solidified block", async () => {
		const chain = new FakeChain();
		chain.lag = 0;
		const shelf = new Shelf();
		const life = live(chain, shelf, config);
		chain.push(5);
		await waitFor(() => caughtUp(life));
		const left = chain.ids.slice(2);
		chain.putBack(3);
		chain.push(2, 1);
		await waitFor(() => caughtUp(life));
		const removed = shelf.ids.filter((id) => id.endsWith("/removed") && id.startsWith("contract"));
		expect(removed.map((id) => left.findIndex((block) => id.includes(block)))).toEqual([2, 1, 0]);
		for (const kind of ["blockTrigger", "solidityTrigger"]) {
			expect(shelf.ids.slice(-20)).toContain(`${kind}/${chain.ids.at(-1)}`);
			expect(shelf.ids).toContain(`${kind}/${chain.ids[2]}`);
		}
	});

	it("goes on from the head of a chain that was replaced", async () => {
		const chain = new FakeChain();
		const shelf = new Shelf();
		const life = live(chain, shelf, config);
		chain.push(3);
		await waitFor(() => caughtUp(life));
		const other = new FakeChain();
		other.push(8, 4);
		Object.assign(chain, { made: (other as unknown as { made: unknown }).made });
		life.delivery.observer.replaced?.();
		const before = shelf.ids.length;
		chain.push(1, 4);
		await waitFor(() => caughtUp(life));
		expect(shelf.ids.slice(before)[0]).toContain(chain.ids.at(-1));
		expect(life.warnings).toEqual([]);
	});

	it("tells a chain again that is not the one of its position, and says so", async () => {
		const chain = new FakeChain();
		chain.lag = 0;
		const first = live(chain, new Shelf(), config);
		chain.push(5);
		await waitFor(() => caughtUp(first));
		await first.delivery.stop();
		const other = new FakeChain();
		other.lag = 0;
		other.push(4, 9);
		const shelf = new Shelf();
		const second = live(other, shelf, config);
		other.push(2, 9);
		await waitFor(() => caughtUp(second));
		expect(second.warnings.join()).toContain("block 5 is another one than was published");
		expect(shelf.ids).toContain(`blockTrigger/${other.ids.at(-1)}`);
	});
});

describe("the file of a position", () => {
	const config = configOf(0);

	async function told(chain: FakeChain, shelf: Shelf): Promise<void> {
		const life = live(chain, shelf, config);
		await waitFor(() => caughtUp(life));
		await life.delivery.stop();
		chain.forgetObservers();
	}

	it("may end within a line, which was not told then", async () => {
		const chain = new FakeChain();
		const shelf = new Shelf();
		await told(chain, shelf);
		chain.push(5);
		await told(chain, shelf);
		const { length } = readFileSync(file);
		for (const bytes of [1, 5, 20, 300]) {
			truncateSync(file, length - bytes);
			await told(chain, shelf);
		}
		const blocks = shelf.ids.filter((id) => id.startsWith("blockTrigger/"));
		expect([...new Set(blocks)]).toEqual(chain.ids.map((id) => `blockTrigger/${id}`));
	});

	it("is found under the name that earlier versions gave it, and renamed", async () => {
		const chain = new FakeChain();
		const shelf = new Shelf();
		await told(chain, shelf);
		chain.push(5);
		await told(chain, shelf);
		const formerFile = file.replace(".outbox", ".told");
		renameSync(file, formerFile);
		chain.push(1);
		const before = shelf.ids.length;
		const life = live(chain, shelf, config);
		await waitFor(() => caughtUp(life));
		await life.delivery.stop();
		const blocks = shelf.ids.slice(before).filter((id) => id.startsWith("blockTrigger/"));
		expect(blocks).toEqual([`blockTrigger/${chain.ids.at(-1)}`]);
		expect(readdirSync(dirname(file))).toEqual(["a.outbox"]);
	});

	it("is refused where it is damaged", async () => {
		const chain = new FakeChain();
		await told(chain, new Shelf());
		for (const text of ["", "x\n", '{"format":2}\n', `${readFileSync(file, "latin1")}{"told":true}\n`]) {
			writeFileSync(file, text);
			expect(() => live(chain, new Shelf(), config)).toThrow("a.outbox is damaged");
		}
	});

	it("does not grow with the blocks that are told", async () => {
		const chain = new FakeChain();
		const shelf = new Shelf();
		const life = live(chain, shelf, config);
		for (let count = 0; count < 600; count++) {
			chain.push(1);
			await settled();
		}
		await waitFor(() => caughtUp(life));
		expect(readFileSync(file).length).toBeLessThan(300_000);
	});
});

describe("where a delivery begins", () => {
	it("is the block after the head, or in version 1 the one that is asked for", async () => {
		const chain = new FakeChain();
		chain.push(8);
		const told = async (config: EventConfig): Promise<readonly string[]> => {
			const shelf = new Shelf();
			const life = live(chain, shelf, config, null);
			chain.push(1);
			await waitFor(() => caughtUp(life));
			chain.forgetObservers();
			return shelf.ids.filter((id) => id.startsWith("blockTrigger/"));
		};
		expect(await told(configOf(0, { startBlock: 3n }))).toHaveLength(1);
		expect(await told(configOf(1))).toHaveLength(1);
		expect(await told(configOf(1, { startBlock: 3n }))).toEqual(
			chain.ids.slice(2).map((id) => `blockTrigger/${id}`),
		);
		// What is asked for above the solidified block begins right above that.
		for (const ahead of [0, 1000]) {
			const { solidNumber } = chain;
			const startBlock = BigInt(chain.ids.length + ahead);
			expect(await told(configOf(1, { startBlock }))).toEqual(
				chain.ids.slice(solidNumber).map((id) => `blockTrigger/${id}`),
			);
		}
	});
});
