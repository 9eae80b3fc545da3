import { EventEmitter } from "node:events";
import { existsSync, mkdtempSync, openSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { Handover, mayStopBehind, type Successor, Takeover } from "../../src/launch/handover.js";
import { LISTENERS } from "../../src/launch/listeners.js";
import { DIRECTORY_FORMAT } from "../../src/node/chain/data-directory.js";
import { defaultConfig } from "../../src/node/config/config.js";
import { genesisId } from "../../src/node/config/genesis-config.js";
import { toHex } from "../../src/protocol/bytes.js";
import { addressOfPrivateKey } from "../../src/protocol/signature.js";

/** What this process has open, by number; one that closes meanwhile is left out. */
function openFiles(): ReadonlyMap<number, string> {
	const files = new Map<number, string>();
	for (const number of readdirSync("/proc/self/fd")) {
		try {
			files.set(Number(number), readlinkSync(join("/proc/self/fd", number)));
		} catch {}
	}
	return files;
}

const RELEASE = { runtime: "/usr/bin/node", script: "/opt/coin/bin/coin.js" };

/** A process that was started, as its parent sees it. */
class Child extends EventEmitter {
	readonly pid = 77;
	readonly heard: unknown[] = [];
	killedBy: unknown;

	send(words: unknown): boolean {
		this.heard.push(words);
		return true;
	}

	kill(signal: unknown): boolean {
		this.killedBy = signal;
		return true;
	}

	says(is: string, more: object = {}): void {
		this.emit("message", { is, ...more });
	}
}

/** A running node, and the block's end that it waits for. */
function running() {
	const children: Child[] = [];
	let reach: () => void = () => {};
	const handover = new Handover({
		start: () => {
			children.push(new Child());
			return children.at(-1) as unknown as Successor;
		},
		boundary: () =>
			new Promise((resolve) => {
				reach = resolve;
			}),
	});
	const gone = new AbortController();
	const result = handover.run(RELEASE, gone.signal);
	result.catch(() => undefined);
	const child = (): Child => children.at(-1) as Child;
	return { handover, result, gone, child, reach: () => reach() };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** As far as the moment at which the running node closes. */
async function agreed() {
	const node = running();
	node.child().says("prepared");
	await settled();
	node.reach();
	expect(await node.handover.agreed).toBe(77);
	return node;
}

describe("the running node", () => {
	it("stops at a block's end, once the new process is prepared, and tells it to open", async () => {
		const { handover, result, child } = await agreed();
		expect(child().heard).toEqual([]);
		const completed = handover.complete(120);
		expect(child().heard).toEqual([{ do: "open", closingMs: 120 }]);
		child().says("ready");
		const { pid, gapMs } = await completed;
		expect([pid, gapMs >= 120, await result]).toEqual([77, true, { pid, gapMs }]);
	});

	it.each<[string, (child: Child) => unknown, string]>([
		["its refusal", (child) => child.says("failed", { message: "another chain" }), "another chain"],
		["its end", (child) => child.emit("exit", 1, null), "it ended with exit code 1"],
		["its death", (child) => child.emit("exit", null, "SIGKILL"), "it ended with SIGKILL"],
		["a program that isn't there", (child) => child.emit("error", new Error("ENOENT")), "ENOENT"],
	])(
		"goes on after %s, before and after it was prepared, and may be asked again",
		async (_, fail, reason) => {
			for (const isPrepared of [false, true]) {
				const { handover, result, child } = running();
				if (isPrepared) child().says("prepared");
				await settled();
				fail(child());
				await expect(result).rejects.toThrow(`can't take over, and this one goes on: ${reason}`);
				expect([child().killedBy, child().heard]).toEqual(["SIGKILL", []]);
				const again = handover.run(RELEASE, new AbortController().signal);
				await settled();
				expect(child().killedBy).toBeUndefined();
				handover.giveUp();
				await expect(again).rejects.toThrow("the node stops");
			}
		},
	);

	it("goes on when whoever asked is gone, until the two have agreed", async () => {
		const { result, gone, child } = running();
		gone.abort();
		await expect(result).rejects.toThrow("the command was interrupted");
		expect(child().killedBy).toBe("SIGKILL");
		const late = await agreed();
		late.gone.abort();
		late.handover.giveUp();
		await settled();
		expect([late.child().killedBy, late.child().heard]).toEqual([undefined, []]);
	});

	it("is asked by one at a time", async () => {
		const { handover, child } = running();
		await expect(handover.run(RELEASE, new AbortController().signal)).rejects.toThrow("under way already");
		expect(child().killedBy).toBeUndefined();
	});

	it("says what to do where the new process fails behind the close", async () => {
		for (const isEarly of [true, false]) {
			const { handover, result, child } = await agreed();
			const fail = (): unknown => child().says("failed", { message: "it is locked" });
			if (isEarly) fail();
			const completed = handover.complete(100);
			if (!isEarly) fail();
			const said = /could not open .* \(it is locked\); nothing is lost: start the former release again/;
			await expect(completed).rejects.toThrow(said);
			await expect(result).rejects.toThrow(said);
			expect(child().killedBy).toBe("SIGKILL");
		}
	});

	it("tells whoever asked where it can't be closed, and leaves no process that waits for that", async () => {
		const { handover, result, child } = await agreed();
		handover.notClosed("no space left");
		await expect(result).rejects.toThrow("the node could not be closed: no space left; start it again");
		expect([child().killedBy, child().heard]).toEqual(["SIGKILL", []]);
	});

	it("makes a block that is its own next before it stops", () => {
		const [ours, theirs] = [1, 2].map((byte) => addressOfPrivateKey(Buffer.alloc(32, byte))) as [
			Uint8Array,
			Uint8Array,
		];
		const producers = [{ witness: ours }];
		expect(mayStopBehind(theirs, theirs, producers)).toBe(true);
		expect(mayStopBehind(theirs, ours, producers)).toBe(false);
		expect(mayStopBehind(ours, theirs, producers)).toBe(true);
		expect(mayStopBehind(ours, ours, producers)).toBe(true);
		expect(mayStopBehind(theirs, ours, [])).toBe(true);
	});
});

const CONFIG = defaultConfig();
const NEVER = new Promise<never>(() => {});

/** A process that was started by another, as it sees itself. */
function started(more: object = {}) {
	const said: unknown[] = [];
	const estate = {
		pid: 5,
		genesisId: toHex(genesisId(CONFIG.genesis)),
		format: DIRECTORY_FORMAT,
		database: `/data/${CONFIG.storage.directory}`,
		ports: LISTENERS.map(({ of }) => of(CONFIG).port),
		sockets: [],
		...more,
	};
	const env: NodeJS.ProcessEnv = { COIN_HANDOVER: JSON.stringify(estate), HOME: "/root" };
	const own = Object.assign(new EventEmitter(), {
		env,
		ppid: 5,
		connected: true,
		send: (words: object) => void said.push(words),
		disconnect: vi.fn(),
	});
	const takeover = Takeover.begin(own as unknown as Parameters<typeof Takeover.begin>[0]) as Takeover;
	return { own, takeover, said, opened: () => takeover.untilClosed(CONFIG, "/data", NEVER) };
}

describe("the new process", () => {
	it("says that it is prepared, opens when it is told to, and says when it serves", async () => {
		const { own, takeover, said, opened } = started();
		expect(own.env).toEqual({ HOME: "/root" });
		const opening = opened();
		await settled();
		expect(said).toEqual([{ is: "prepared" }]);
		own.emit("message", { do: "open", closingMs: 90 });
		await opening;
		expect(takeover.ready()).toBeGreaterThanOrEqual(90);
		expect([said.at(-1), own.disconnect.mock.calls]).toEqual([{ is: "ready" }, [[]]]);
	});

	it.skipIf(!existsSync("/proc/self/fd"))("keeps no file of the database that came with it", () => {
		const folder = mkdtempSync(join(tmpdir(), "coin-"));
		const path = join(folder, "LOCK");
		const fd = openSync(path, "w");
		started({ database: join(folder, "database") });
		// Another test's thread may have opened a file of its own under the number by now.
		expect(openFiles().get(fd)).not.toBe(path);
		rmSync(folder, { recursive: true });
	});

	it("is one like any other where nobody started it for that", () => {
		const own = { env: { HOME: "/root" } } as unknown as Parameters<typeof Takeover.begin>[0];
		expect(Takeover.begin(own)).toBeUndefined();
	});

	it.each([
		["another chain", { genesisId: "00".repeat(32) }, "belongs to another chain"],
		["another layout", { format: DIRECTORY_FORMAT + 1 }, `has format ${DIRECTORY_FORMAT + 1}`],
		["another directory", { database: "/elsewhere" }, "and the running node has /elsewhere"],
	])("refuses the data of %s before the other has closed, and tells why", async (_, estate, message) => {
		const { takeover, said, opened } = started(estate);
		const error = await opened().catch((thrown: Error) => thrown);
		expect(String(error)).toContain(message);
		takeover.failed(error);
		expect(said).toEqual([{ is: "failed", message: expect.stringContaining(message) }]);
	});

	it("ends when it is told to stop", async () => {
		const { takeover } = started();
		await expect(takeover.untilClosed(CONFIG, "/data", Promise.resolve("SIGTERM"))).rejects.toThrow(
			"given up",
		);
	});

	it("opens behind the death of a process that said nothing, once the system has noticed it", async () => {
		const { own, takeover, said, opened } = started();
		let isOpen = false;
		const opening = opened().then(() => {
			isOpen = true;
		});
		await settled();
		own.connected = false;
		own.emit("disconnect");
		await settled();
		expect(isOpen).toBe(false);
		own.ppid = 1;
		await opening;
		takeover.ready();
		expect([said, own.disconnect.mock.calls]).toEqual([[{ is: "prepared" }], []]);
	});
});
