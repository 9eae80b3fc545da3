/** Keys that are opened once for several signatures. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { errorRecord } from "./coin-process.js";
import { BASE58, it, KEYS, send, type Wallet } from "./wallet-fixture.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));

/** An environment with a place for sockets, and a file that stands for the terminal. */
function places({ home, node }: Wallet): {
	runtime: string;
	terminal: string;
	environment: Record<string, string>;
} {
	const runtime = join(home.path, "run");
	mkdirSync(runtime, { mode: 0o700 });
	const terminal = home.write("terminal", "");
	return {
		runtime,
		terminal,
		environment: { COIN_NODE: node.url, XDG_RUNTIME_DIR: runtime, COIN_TTY: terminal },
	};
}

async function unlocked(wallet: Wallet, environment: Record<string, string>, life: string): Promise<string> {
	const words = ["keystore", "unlock", "ann", "--for", life, ...wallet.password()];
	const { code, stdout, stderr } = await wallet.home.run(words, "", environment);
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	const [, socket = ""] = /^export COIN_AGENT='(.*)'\n$/.exec(stdout) ?? [];
	expect(socket).not.toBe("");
	return socket;
}

describe.concurrent("coin keystore unlock", () => {
	it("runs a command whose signatures ask for nothing, and say what is signed", async ({ wallet }) => {
		const { environment, runtime } = places(wallet);
		const line = `for i in 1 2; do '${process.execPath}' '${program}' ${send.join(" ")}; done; exit 7`;
		const words = ["keystore", "unlock", "ann", ...wallet.password(), "--", "sh", "-c", line];
		const { code, stdout, stderr } = await wallet.home.run(words, "", {
			...environment,
			COIN_TTY: "/nowhere",
		});
		expect(code).toBe(7);
		expect(
			stdout
				.trim()
				.split("\n")
				.map((row) => JSON.parse(row) as object),
		).toMatchObject([{ state: "submitted" }, { state: "submitted" }]);
		expect(stderr.match(/ann signs \(unlocked\): 25coin from/g)).toHaveLength(2);
		expect(wallet.node.received).toHaveLength(2);
		expect(readdirSync(runtime)).toEqual([]);
	});

	it("leaves an agent that signs until it is locked", async ({ wallet }) => {
		const { environment, runtime } = places(wallet);
		const socket = await unlocked(wallet, environment, "1m");
		expect(readdirSync(runtime, { recursive: true })).toHaveLength(2);
		const withAgent = { ...environment, COIN_AGENT: socket, COIN_TTY: "/nowhere" };
		const signed = await wallet.home.run(["message", "sign", "hello", "--json"], "", withAgent);
		expect(JSON.parse(signed.stdout)).toMatchObject({ address: BASE58.ann });
		const lock = async (...flags: readonly string[]): Promise<string> =>
			(await wallet.home.run(["keystore", "lock", ...flags], "", withAgent)).stdout;
		expect(await lock()).toBe("the agent has forgotten its keys and ended\n");
		expect(await lock()).toMatch(/^no agent is running at .*: nothing to lock\n$/);
		expect(await lock("--json")).toBe("false\n");
		const nameless = await wallet.home.run(["keystore", "lock"]);
		expect(nameless.stdout).toBe("COIN_AGENT names no agent: nothing to lock\n");
		const refused = await wallet.home.run(["message", "sign", "hello", "--json"], "", withAgent);
		expect(errorRecord(refused)).toMatchObject({ code: "password_required" });
		expect(readdirSync(runtime)).toEqual([]);
	});

	// Tests that run at the same time wait with an expect of their own.
	it("ends with its time, and with its terminal", async ({ wallet, expect }) => {
		const { environment, terminal } = places(wallet);
		const short = await unlocked(wallet, environment, "1s");
		await expect.poll(() => existsSync(short)).toBe(false);
		const long = await unlocked(wallet, environment, "1h");
		expect(existsSync(long)).toBe(true);
		rmSync(terminal);
		await expect.poll(() => existsSync(long)).toBe(false);
	});

	it.runIf(process.platform === "linux")(
		"writes no key anywhere, nor into arguments and environments",
		async ({ wallet }) => {
			const { environment } = places(wallet);
			const socket = await unlocked(wallet, environment, "1m");
			const pid = readdirSync("/proc").find((name) => {
				try {
					return (
						readFileSync(`/proc/${name}/cmdline`, "utf8").includes("agent.worker") &&
						readFileSync(`/proc/${name}/environ`, "utf8").includes(environment["XDG_RUNTIME_DIR"] as string)
					);
				} catch {
					return false;
				}
			});
			expect(pid).toBeDefined();
			const files = readdirSync(wallet.home.path, { recursive: true, withFileTypes: true }).filter((item) =>
				item.isFile(),
			);
			const texts = [
				readFileSync(`/proc/${pid}/cmdline`, "utf8"),
				readFileSync(`/proc/${pid}/environ`, "utf8"),
				...files.map((item) => readFileSync(join(item.parentPath, item.name), "latin1")),
			];
			expect(files.length).toBeGreaterThan(1);
			for (const text of texts) {
				expect(text).not.toContain(KEYS.ann);
				expect(text).not.toContain(Buffer.from(KEYS.ann, "hex").toString("latin1"));
			}
			await wallet.home.run(["keystore", "lock"], "", { ...environment, COIN_AGENT: socket });
		},
	);

	it.for([
		[["keystore", "unlock", "ann"], 2, "usage"],
		[["keystore", "unlock", "ann", "--"], 2, "usage"],
		[["keystore", "unlock", "zoe", "--", "true"], 1, "wallet_not_found"],
		[["keystore", "unlock", "ann", "--for", "13h", "--", "true"], 2, "bad_value"],
		[["keystore", "unlock", "ann", "--password-file", "wrong", "--", "true"], 1, "bad_password"],
		[["keystore", "unlock", "ann", "--password-file", "pw", "--", "no-such-program"], 2, "bad_value"],
	] as const)("refuses %j", async ([words, exit, code], { wallet }) => {
		wallet.password();
		wallet.home.write("wrong", "another one");
		const { runtime, environment } = places(wallet);
		const outcome = await wallet.home.run(words, "", {
			...environment,
			COIN_TTY: "/nowhere",
			COIN_CONTENT_TYPE: "json",
		});
		expect(outcome).toMatchObject({ code: exit, stdout: "" });
		expect(errorRecord(outcome)).toMatchObject({ code });
		expect(readdirSync(runtime)).toEqual([]);
	});
});
