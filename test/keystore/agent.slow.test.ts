import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agentAt } from "../../src/keystore/agent/client.js";
import { Agent, agentParent } from "../../src/keystore/agent/server.js";
import { toBase58Check } from "../../src/protocol/address.js";
import { toHex } from "../../src/protocol/bytes.js";
import {
	addressOfKeys,
	keysOfSpendingKey,
	narrowed,
	type ShieldedKeys,
} from "../../src/protocol/sapling/key-set.js";
import { writePaymentAddress } from "../../src/protocol/sapling/payment-address.js";
import { isAuthorizedBy } from "../../src/protocol/sapling/spend-authorization.js";
import { addressOfPrivateKey, recoverAddress } from "../../src/protocol/signature.js";

const HASH = new Uint8Array(32).fill(5);

let parent: string;
let key: Uint8Array;
let base58: string;
beforeEach(() => {
	parent = mkdtempSync(join(tmpdir(), "coin-test-"));
	key = new Uint8Array(32).fill(0x11);
	base58 = toBase58Check(addressOfPrivateKey(key));
});
afterEach(() => {
	vi.useRealTimers();
	rmSync(parent, { recursive: true });
});

const start = (lifeMs = 60_000, onEnd: () => void = () => undefined) =>
	Agent.start({ keys: [key], lifeMs, parent, onEnd });

/** What the agent answers to bytes. */
function raw(path: string, text: string): Promise<string> {
	return new Promise((resolve) => {
		let answer = "";
		const socket = connect(path, () => socket.write(text));
		socket.on("data", (chunk) => {
			answer += String(chunk);
		});
		socket.on("error", () => undefined);
		socket.on("close", () => resolve(answer.trim()));
	});
}

describe("the agent", () => {
	it("signs with its keys, and says no to others", async () => {
		const agent = await start();
		const client = agentAt(agent.socketPath);
		expect(await client?.list()).toEqual([base58]);
		const signature = (await client?.sign(base58, HASH)) as Uint8Array;
		expect(toBase58Check(recoverAddress(HASH, signature))).toBe(base58);
		expect(await client?.sign("TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC", HASH)).toBeUndefined();
		agent.end();
	});

	it("is in a directory for its user alone, with nothing in it but the socket", async () => {
		const agent = await start();
		expect(statSync(dirname(agent.socketPath)).mode & 0o777).toBe(0o700);
		expect(
			readdirSync(parent, { recursive: true }).filter((name) => !String(name).endsWith("socket")),
		).toHaveLength(1);
		expect(statSync(agent.socketPath).isSocket()).toBe(true);
		agent.end();
	});

	it("forgets its keys when its time is over", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		const ended = vi.fn();
		const agent = await start(300_000, ended);
		vi.advanceTimersByTime(299_999);
		expect([ended.mock.calls.length, key[0]]).toEqual([0, 0x11]);
		vi.advanceTimersByTime(1);
		expect(ended).toHaveBeenCalledOnce();
		expect(key).toEqual(new Uint8Array(32));
		expect(existsSync(dirname(agent.socketPath))).toBe(false);
		expect(agentAt(agent.socketPath)).toBeUndefined();
	});

	it("forgets its keys when it is locked", async () => {
		const ended = vi.fn();
		const agent = await start(60_000, ended);
		expect(await agentAt(agent.socketPath)?.lock()).toBe(true);
		expect(ended).toHaveBeenCalledOnce();
		expect(key).toEqual(new Uint8Array(32));
		agent.end();
		expect(ended).toHaveBeenCalledOnce();
	});

	it.each([
		["nonsense\n", "not JSON"],
		["null\n", "unknown request"],
		['{"do":"export"}\n', "unknown request"],
		['{"do":"sign","address":"x","hash":"00"}\n', "unknown key"],
		[`${"x".repeat(10_000)}\n`, "too long"],
		["x".repeat(10_000), "too long"],
	])("refuses %.30s and goes on", async (text, error) => {
		const agent = await start();
		expect(JSON.parse(await raw(agent.socketPath, text))).toEqual({ error });
		const short = `{"do":"sign","address":"${base58}","hash":"00"}\n`;
		expect(JSON.parse(await raw(agent.socketPath, short))).toEqual({ error: "not a hash" });
		expect(await agentAt(agent.socketPath)?.list()).toEqual([base58]);
		agent.end();
	});
});

describe("the agent's user", () => {
	it.each([0o755, 0o770, 0o701])("refuses a directory of mode %o", async (mode) => {
		const agent = await start();
		chmodSync(dirname(agent.socketPath), mode);
		expect(() => agentAt(agent.socketPath)).toThrow(expect.objectContaining({ code: "agent_refused" }));
		agent.end();
	});

	it("refuses what is not a directory or not a socket", async () => {
		const agent = await start();
		const link = join(parent, "link");
		symlinkSync(dirname(agent.socketPath), link);
		expect(() => agentAt(join(link, "socket"))).toThrow("not yours alone");
		mkdirSync(join(parent, "own"), { mode: 0o700 });
		writeFileSync(join(parent, "own", "socket"), "");
		expect(() => agentAt(join(parent, "own", "socket"))).toThrow("not yours alone");
		agent.end();
	});

	it("finds none where none is", () => {
		expect(agentAt(join(parent, "nothing", "socket"))).toBeUndefined();
	});

	it("has its directory where the system keeps those of its users", () => {
		expect(agentParent({ XDG_RUNTIME_DIR: "/run/user/1000" })).toBe("/run/user/1000");
		expect(agentParent({})).toBe(tmpdir());
		expect(agentParent({ XDG_RUNTIME_DIR: `/${"x".repeat(100)}` })).toBe(tmpdir());
	});
});

describe("an agent with keys of shielded addresses", () => {
	const sk = new Uint8Array(32).fill(7);
	const keys = keysOfSpendingKey(sk) as ShieldedKeys;
	const address = writePaymentAddress(addressOfKeys(keys), "neutral");
	const secretsOf = ({ spending }: ShieldedKeys) => [spending?.sk, spending?.ask] as Uint8Array[];
	const copy = (): ShieldedKeys => structuredClone(keys);
	const shown = (lent: ShieldedKeys | undefined): unknown =>
		JSON.parse(
			JSON.stringify(lent, (_, value: unknown) =>
				value instanceof Uint8Array || Buffer.isBuffer(value) ? toHex(value) : value,
			),
			(_, value: { type?: string; data?: number[] }) =>
				value?.type === "Buffer" ? toHex(Uint8Array.from(value.data ?? [])) : value,
		);

	it("lends what reads notes and makes proofs, and authorizes spends itself", async () => {
		const agent = await Agent.start({ keys: [key], shielded: [copy()], lifeMs: 60_000, parent });
		const lent = await agentAt(agent.socketPath)?.view(address);
		expect(shown(lent)).toEqual({
			...(shown(narrowed(keys, "viewing")) as object),
			reach: "spending",
			delegated: { nsk: toHex(keys.spending?.nsk as Uint8Array) },
		});
		const alpha = new Uint8Array(32).fill(1);
		const signature = (await lent?.delegated?.authorize(alpha, HASH)) as Uint8Array;
		const { ak } = keys.full as { ak: Uint8Array };
		expect(isAuthorizedBy(ak, alpha, HASH, signature)).toBe(true);
		expect(isAuthorizedBy(ak, HASH, HASH, signature)).toBe(false);
		agent.end();
		await expect(lent?.delegated?.authorize(alpha, HASH)).rejects.toMatchObject({ code: "agent_refused" });
	});

	it("tells the spending key in no answer, and overwrites it when it ends", async () => {
		const own = copy();
		const secrets = secretsOf(own);
		const agent = await Agent.start({ keys: [], shielded: [own], lifeMs: 60_000, parent });
		const word = "00".repeat(32);
		const requests = [
			{ do: "list" },
			{ do: "view", address },
			{ do: "authorize", address, alpha: word, hash: word },
			{ do: "authorize", address, alpha: word },
			{ do: "view", address: base58 },
			{ do: "sign", address, hash: word },
		];
		for (const request of requests) {
			const answer = await raw(agent.socketPath, `${JSON.stringify(request)}\n`);
			for (const secret of secretsOf(keys)) expect(answer).not.toContain(toHex(secret));
		}
		agent.end();
		for (const secret of secrets) expect(secret.every((byte) => byte === 0)).toBe(true);
	});

	it.each(["viewing", "incoming"] as const)("lends a %s key, which authorizes nothing", async (reach) => {
		const agent = await Agent.start({
			keys: [],
			shielded: [narrowed(copy(), reach)],
			lifeMs: 60_000,
			parent,
		});
		const lent = await agentAt(agent.socketPath)?.view(address);
		expect(shown(lent)).toEqual(shown(narrowed(keys, reach)));
		const word = "00".repeat(32);
		const request = { do: "authorize", address, alpha: word, hash: word };
		expect(await raw(agent.socketPath, `${JSON.stringify(request)}\n`)).toBe('{"error":"unknown key"}');
		agent.end();
	});
});
