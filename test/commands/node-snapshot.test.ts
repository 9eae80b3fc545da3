/** `coin node snapshot`: of a running node, from a web server, and on with the blocks of a peer. */

import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createWebServer, type Server } from "node:http";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { toBase58Check } from "../../src/protocol/address.js";
import { addressOfPrivateKey } from "../../src/protocol/signature.js";
import { writeCheapKey } from "./cheap-key.js";
import { errorRecord, Home } from "./coin-process.js";

const GOLDEN = resolve("test/golden/core-accounts/core-accounts");
const KEY = Buffer.alloc(32, 7);
const SIGNER = toBase58Check(addressOfPrivateKey(KEY));

let home: Home;
const running: ChildProcess[] = [];
const at = (...names: string[]): string => join(home.path, ...names);

beforeAll(async () => {
	home = new Home();
	writeCheapKey(at("keys"), "main", KEY, "secret words");
	home.write("password", "secret words\n");
	await writeConfig("a.conf", await freePort());
	const imported = await home.run(["chain", "import", `${GOLDEN}.ndjson.br`, "-c", "a.conf", "-d", "a"]);
	expect(imported.code).toBe(0);
});
afterEach(async () => {
	for (const child of running.splice(0)) await stop(child);
});
afterAll(() => home.remove());

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const { port } = server.address() as { readonly port: number };
	await new Promise((done) => server.close(done));
	return port;
}

/** The recording's chain, on ports of our own. */
async function writeConfig(name: string, peerPort: number, active = ""): Promise<void> {
	const ports = [
		"http.fullNode",
		"http.solidity",
		"http.PBFT",
		"jsonrpc.httpFullNode",
		"jsonrpc.httpSolidity",
	];
	const lines = [
		readFileSync(`${GOLDEN}.conf`, "utf8"),
		...ports.map((path) => `node.${path}Port = 0`),
		"node.rpc { enable = false, solidityEnable = false, PBFTEnable = false }",
		`node.listen.port = ${peerPort}`,
		`node.active = [${active}]`,
		"node.shielded.allowUnverified = true",
	];
	home.write(name, lines.join("\n"));
}

/** Starts a node. @returns its HTTP port */
async function start(config: string, directory: string): Promise<number> {
	const ready = at(`ready-${directory}`);
	rmSync(ready, { force: true });
	const words = [
		"node",
		"start",
		"-c",
		config,
		"-d",
		directory,
		"--host",
		"127.0.0.1",
		"--ready-file",
		ready,
	];
	const { child, outcome } = home.start(words);
	running.push(child);
	for (;;) {
		if (child.exitCode !== null) throw new Error((await outcome).stderr);
		try {
			return (JSON.parse(readFileSync(ready, "utf8")) as { ports: { full: number } }).ports.full;
		} catch {
			await new Promise((done) => setTimeout(done, 50));
		}
	}
}

async function stop(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const closed = new Promise((done) => child.once("close", done));
	child.kill(signal);
	await closed;
}

async function headAt(port: number): Promise<string> {
	const answer = await fetch(`http://127.0.0.1:${port}/wallet/getnowblock`, { method: "POST", body: "{}" });
	return ((await answer.json()) as { readonly blockID: string }).blockID;
}

const snapshot = (...words: string[]) =>
	home.run(["node", "snapshot", ...words, "--json"], undefined, { COIN_KEYSTORE_DIR: at("keys") });

/** A web server as plain as there are: files, and ranges of them. */
async function serve(
	folder: string,
	seen: string[],
): Promise<{ readonly server: Server; readonly address: string }> {
	const server = createWebServer((request, response) => {
		const path = join(folder, request.url ?? "");
		seen.push(request.url ?? "");
		const isThere = existsSync(path);
		const bytes = isThere ? readFileSync(path) : Buffer.alloc(0);
		const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
		response.writeHead(isThere ? (from > 0 ? 206 : 200) : 404).end(bytes.subarray(from));
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const { port } = server.address() as { readonly port: number };
	return { server, address: `http://127.0.0.1:${port}` };
}

describe("coin node snapshot", () => {
	it("is made of a running node, and a fresh node is at its head soon after", async () => {
		const port = await start("a.conf", "a");
		const head = await headAt(port);
		const created = await snapshot(
			"create",
			"today",
			"-c",
			"a.conf",
			"-d",
			"a",
			"--signer",
			"main",
			"--password-file",
			"password",
		);
		expect([created.code, created.stderr]).toEqual([0, ""]);
		expect(JSON.parse(created.stdout)).toMatchObject({ directory: at("today"), signer: SIGNER });
		const verified = await snapshot("verify", "today");
		expect(JSON.parse(verified.stdout)).toMatchObject({
			head: JSON.parse(created.stdout).head,
			signer: SIGNER,
			program: expect.stringMatching(/^coin \d/),
		});

		const seen: string[] = [];
		const { server, address } = await serve(at("today"), seen);
		const peer = /node\.listen\.port = (\d+)/.exec(home.read("a.conf"))?.[1];
		await writeConfig("b.conf", await freePort(), `"127.0.0.1:${peer}"`);
		const restored = await snapshot("restore", address, "-c", "b.conf", "-d", "b", "--trust", SIGNER);
		server.close();
		expect([restored.code, restored.stdout === "" ? restored.stderr : ""]).toEqual([0, ""]);
		expect(restored.stderr).toContain("there is room for");
		expect(seen).toContain("/chunks/000000.br");
		expect(existsSync(at("b", "dev.json"))).toBe(false);
		const fresh = await start("b.conf", "b");
		while ((await headAt(fresh)) !== head) await new Promise((done) => setTimeout(done, 100));
		await stop(running.pop() as ChildProcess);
		const whole = await home.run(["node", "db", "verify", "-c", "b.conf", "-d", "b", "--json"]);
		expect(whole.code).toBe(0);
	});

	it("is made of a directory at rest too, also where a killed node left its file", async () => {
		await start("a.conf", "a");
		await stop(running.pop() as ChildProcess, "SIGKILL");
		expect(existsSync(at("a", "control"))).toBe(true);
		const created = await snapshot("create", "rest", "-c", "a.conf", "-d", "a");
		expect([created.code, created.stderr]).toEqual([0, ""]);
		const again = await snapshot("create", "rest", "-c", "a.conf", "-d", "a");
		expect(errorRecord(again)["message"]).toContain("exists already and is never overwritten");
	});

	it("is restored only from one whom somebody trusts", async () => {
		await snapshot("create", "own", "-c", "a.conf", "-d", "a");
		const restore = (...words: string[]) => snapshot("restore", "own", "-c", "a.conf", "-d", "c", ...words);
		expect(errorRecord(await restore())).toMatchObject({
			code: "bad_value",
			message: "the snapshot is not signed; say whom you trust",
		});
		expect(errorRecord(await restore("--trust", SIGNER))["message"]).toContain(
			"not one of those that you trust",
		);
		const signature = await home.run(
			["message", "sign", "anything", "--signer", "main", "--password-file", "password", "--json"],
			undefined,
			{ COIN_KEYSTORE_DIR: at("keys") },
		);
		writeFileSync(at("own", "manifest.sig"), JSON.parse(signature.stdout).signature);
		const forged = errorRecord(await restore("--trust", SIGNER));
		expect(forged["message"]).toMatch(/^the snapshot is signed by T\w+, which is not one of those/);
		expect(existsSync(at("c"))).toBe(false);
		expect((await restore("--unsigned")).code).toBe(0);
		expect(errorRecord(await restore("--unsigned"))["message"]).toContain("holds a chain already");
	});

	it("refuses a folder without a snapshot, and a chunk that has changed, by its name", async () => {
		const none = await snapshot("verify", "a");
		expect([none.code, errorRecord(none)["message"]]).toEqual([
			1,
			`a/manifest.json of the snapshot is missing`,
		]);
		await snapshot("create", "changed", "-c", "a.conf", "-d", "a");
		const path = at("changed", "chunks", "000000.br");
		const bytes = readFileSync(path);
		bytes.writeUInt8(bytes.readUInt8(9) ^ 1, 9);
		writeFileSync(path, bytes);
		const changed = await snapshot("verify", "changed");
		expect([changed.code, errorRecord(changed)["message"]]).toEqual([
			1,
			"chunks/000000.br of the snapshot is not what its manifest says",
		]);
	});
});
