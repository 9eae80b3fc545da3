/** `coin node snapshot`: of a running node, from a web server, and on with the blocks of a peer. */

import { type ChildProcess, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer as createWebServer, get, type Server } from "node:http";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { toBase58Check } from "../../src/protocol/address.js";
import { addressOfPrivateKey, sign } from "../../src/protocol/signature.js";
import { messageHash, signatureText } from "../../src/wallet/transaction/signed-message.js";
import { freePort } from "../free-port.js";
import { awaited, readyFile } from "./awaited.js";
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
	const { child, errors } = home.start(words);
	running.push(child);
	return (await readyFile<{ ports: { full: number } }>(child, ready, errors)).ports.full;
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

	it.each(["SIGINT", "SIGTERM"] as const)("is interrupted by %s while a server is silent", async (signal) => {
		await snapshot("create", `of ${signal}`, "-c", "a.conf", "-d", "a");
		const directory = `silent ${signal}`;
		let silentAt = "/chunks/000000.br";
		let isAsked = false;
		const server = createWebServer((request, response) => {
			const path = request.url ?? "";
			if (path === silentAt) isAsked = true;
			else if (!existsSync(at(`of ${signal}`, path))) response.writeHead(404).end();
			else response.end(readFileSync(at(`of ${signal}`, path)));
		});
		await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
		const address = `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`;
		const words = ["restore", address, "-c", "a.conf", "-d", directory, "--unsigned"];
		const interrupted = async () => {
			isAsked = false;
			const { child, outcome, errors } = home.start(["node", "snapshot", ...words]);
			await awaited(child, () => isAsked, errors);
			child.kill(signal);
			const { code, stderr } = await outcome;
			expect([code, stderr.trim().split("\n").at(-1)]).toEqual([
				signal === "SIGINT" ? 130 : 143,
				"interrupted; the same command goes on from here",
			]);
		};
		await interrupted();
		silentAt = "/manifest.json";
		await interrupted();
		silentAt = "";
		expect((await snapshot(...words)).code).toBe(0);
		server.closeAllConnections();
		server.close();
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

/** Starts the service on a folder. @returns its address, once it has done what is due at its start */
async function startService(
	folder: string,
	directory: string,
	isSo = (notes: string) => notes.includes("the next snapshot is due"),
): Promise<string> {
	const words = ["serve", folder, "-c", "a.conf", "-d", directory, "--signer", "main", "--every", "1h"];
	const { child, errors } = home.start(
		["node", "snapshot", ...words, "--password-file", "password", "--port", "0"],
		undefined,
		{ COIN_KEYSTORE_DIR: at("keys") },
	);
	running.push(child);
	let url = "";
	child.stdout?.on("data", (text) => {
		url += text;
	});
	await awaited(child, () => url.includes("\n") && isSo(errors()), errors);
	return url.trim();
}

/** In place of a node: begins what a service asks for, and never ends. */
async function stuckNode(directory: string): Promise<{ readonly asked: () => boolean; close(): void }> {
	let isAsked = false;
	const server = createServer((socket) => {
		socket.on("error", () => undefined);
		socket.once("data", (line) => {
			const { to } = JSON.parse(String(line)) as { readonly to: string };
			mkdirSync(join(`${to}.partial`, "chunks"), { recursive: true });
			writeFileSync(join(`${to}.partial`, "chunks", "000000.br"), "half");
			isAsked = true;
		});
	});
	await new Promise<void>((done) => server.listen(at("stuck"), done));
	writeFileSync(at(directory, "control"), `${at("stuck")}\n`);
	return { asked: () => isAsked, close: () => server.close() };
}

const generationsIn = (folder: string): string[] =>
	readdirSync(at(folder))
		.filter((name) => /^\d+-[0-9a-f]{8}$/.test(name))
		.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));

/** Makes a generation older than any interval, as its signer would have signed it then. */
function age(directory: string): void {
	const path = join(directory, "manifest.json");
	const manifest = JSON.parse(readFileSync(path, "utf8"));
	const text = `${JSON.stringify({ ...manifest, createdMs: manifest.createdMs - 7_200_000 })}\n`;
	writeFileSync(path, text);
	const hash = createHash("sha256").update(text).digest("hex");
	const signature = sign(messageHash(Buffer.from(`coin snapshot ${hash}`)), KEY);
	writeFileSync(join(directory, "manifest.sig"), `${signatureText(signature)}\n`);
}

/** The first bytes of a file, over a connection that breaks then. */
const begun = (url: string, bytes: number): Promise<Buffer> =>
	new Promise((done, fail) => {
		get(url, (response) => {
			const parts: Buffer[] = [];
			response.on("data", (part: Buffer) => {
				parts.push(part);
				if (Buffer.concat(parts).length < bytes) return;
				response.destroy();
				done(Buffer.concat(parts).subarray(0, bytes));
			});
		}).on("error", fail);
	});

describe("coin node snapshot serve", () => {
	const shared = (name: string): number => statSync(at(name)).nlink;

	it("makes generations, outlives a kill, and gives them out to any client, which can resume", async () => {
		const [first = ""] = [brotliDecompressSync(readFileSync(`${GOLDEN}.ndjson.br`)).toString()];
		const lines = first.trim().split("\n");
		home.write("part.ndjson", `${lines.slice(0, lines.length / 2).join("\n")}\n`);
		await home.run(["chain", "import", "part.ndjson", "-c", "a.conf", "-d", "growing"]);
		const stuck = await stuckNode("growing");
		const making = await startService("srv", "growing", stuck.asked);
		expect((await fetch(`${making}manifest.json`)).status).toBe(503);
		await stop(running.pop() as ChildProcess, "SIGKILL");
		stuck.close();
		expect(readdirSync(at("srv"))).toContain("generation.new.partial");
		await startService("srv", "growing");
		expect(readdirSync(at("srv"))).not.toContain("generation.new.partial");
		await stop(running.pop() as ChildProcess, "SIGKILL");
		const [older = ""] = generationsIn("srv");
		expect(readdirSync(at("srv", older)).sort()).toEqual(["chunks", "manifest.json", "manifest.sig"]);

		// What a kill in the middle leaves is swept; what isn't the service's stays.
		age(at("srv", older));
		for (const left of ["generation.new.partial", "7-01234567.retired"]) {
			mkdirSync(at("srv", left, "chunks"), { recursive: true });
			writeFileSync(at("srv", left, "chunks", "000000.br"), "half");
		}
		mkdirSync(at("srv", "5-deadbeef"));
		home.write("srv/notes.txt", "of the operator");
		const node = await start("a.conf", "growing");
		expect(await headAt(node)).toBeDefined();
		await stop(running.pop() as ChildProcess);
		await home.run(["chain", "import", `${GOLDEN}.ndjson.br`, "-c", "a.conf", "-d", "growing"]);
		const port = await start("a.conf", "growing");
		const url = await startService("srv", "growing");
		const [, , newer = ""] = generationsIn("srv");
		expect(readdirSync(at("srv")).sort()).toEqual(
			["5-deadbeef", older, newer, "notes.txt", "service.lock"].sort(),
		);

		const list = (await (await fetch(url)).json()) as { newest: string; generations: { name: string }[] };
		expect([list.newest, list.generations.map(({ name }) => name)]).toEqual([newer, [newer, older]]);
		const verified = JSON.parse((await snapshot("verify", url)).stdout);
		expect(verified).toMatchObject({ signer: SIGNER, head: String(Number.parseInt(newer, 10)) });

		const chunk = `${url}latest/chunks/000000.br`;
		const whole = readFileSync(at("srv", newer, "chunks", "000000.br"));
		const half = await begun(await fetch(chunk).then((answer) => answer.url), 1000);
		const rest = await fetch(chunk, { headers: { range: "bytes=1000-" } });
		expect(rest.status).toBe(206);
		expect(Buffer.concat([half, Buffer.from(await rest.arrayBuffer())])).toEqual(whole);
		for (const words of [
			["curl", "-sSfL", "-C", "-", "-o", at("resumed.curl")],
			["wget", "-q", "-c", "-O", at("resumed.wget")],
		]) {
			const [program = "", ...flags] = words;
			writeFileSync(flags.at(-1) as string, half);
			const { error, status } = spawnSync(program, [...flags, chunk]);
			if (!error) expect([status, readFileSync(flags.at(-1) as string)]).toEqual([0, whole]);
		}

		const peer = /node\.listen\.port = (\d+)/.exec(home.read("a.conf"))?.[1];
		await writeConfig("d.conf", await freePort(), `"127.0.0.1:${peer}"`);
		const restored = await snapshot("restore", url, "-c", "d.conf", "-d", "d", "--trust", SIGNER);
		expect([restored.code, JSON.parse(restored.stdout).head]).toEqual([0, verified.head]);
		const fresh = await start("d.conf", "d");
		while ((await headAt(fresh)) !== (await headAt(port))) await new Promise((done) => setTimeout(done, 100));
		expect(shared(`srv/${newer}/manifest.json`)).toBe(1);
	});

	it("is restored from the generation that was begun, with what is there already", async () => {
		const [older = "", newer = ""] = generationsIn("srv").filter((name) => name !== "5-deadbeef");
		const url = await startService("srv", "growing");
		let [isBroken, isGone] = [true, false];
		const asked: string[] = [];
		// In place of a service that had only the older generation when the restore began.
		const between = createWebServer(async (request, response) => {
			const path = request.url ?? "";
			asked.push(path);
			if (isGone || (isBroken && path.includes("chunks/"))) return void response.writeHead(404).end();
			const to = path === "/manifest.json" && isBroken ? `/${older}/manifest.json` : undefined;
			if (to !== undefined) return void response.writeHead(302, { location: to }).end();
			const answer = await fetch(`${url}${path.slice(1)}`, { redirect: "manual" });
			const location = answer.headers.get("location");
			response.writeHead(answer.status, location === null ? {} : { location });
			response.end(Buffer.from(await answer.arrayBuffer()));
		});
		await new Promise<void>((done) => between.listen(0, "127.0.0.1", done));
		const address = `http://127.0.0.1:${(between.address() as { readonly port: number }).port}`;
		const restore = (...more: string[]) =>
			snapshot("restore", address, "-c", "a.conf", "-d", "pinned", "--trust", SIGNER, ...more);
		expect(errorRecord(await restore())["message"]).toContain("the server answers 404");
		isGone = true;
		expect(errorRecord(await restore())["hint"]).toContain("delete pinned and begin anew");
		[isBroken, isGone] = [false, false];
		expect(JSON.parse((await snapshot("verify", address)).stdout).head).toBe(
			String(Number.parseInt(newer, 10)),
		);
		asked.length = 0;
		const restored = await restore("--reuse", at("srv", older));
		between.close();
		expect([restored.code, JSON.parse(restored.stdout).head]).toEqual([
			0,
			String(Number.parseInt(older, 10)),
		]);
		expect(restored.stderr).toContain("needn't be fetched");
		expect(asked).toEqual([`/${older}/manifest.json`, `/${older}/manifest.sig`]);
	});

	it("refuses what it can't serve in a sentence, and changes nothing", async () => {
		const refusal = async (directory: string, ...words: string[]) => {
			const all = ["serve", "none", "-c", "a.conf", "-d", directory, "--signer", "main", ...words];
			return errorRecord(await snapshot(...all))["message"];
		};
		expect(await refusal("a")).toBe("the service signs without anybody at a terminal");
		const file = ["--password-file", "password"];
		expect(await refusal("a", ...file, "--every", "1m")).toBe(
			'"1m" is too short a time between snapshots: at least 10m',
		);
		expect(await refusal("nowhere", ...file)).toBe("there is no database nowhere/database");
		const blocked = createServer();
		await new Promise<void>((done) => blocked.listen(0, "127.0.0.1", done));
		const { port } = blocked.address() as { readonly port: number };
		expect(await refusal("a", ...file, "--port", String(port))).toBe(
			`port ${port} of the snapshot service is in use`,
		);
		blocked.close();
		expect(existsSync(at("none"))).toBe(false);
		await startService("srv", "growing");
		const second = await snapshot(
			"serve",
			"srv",
			"-c",
			"a.conf",
			"-d",
			"a",
			"--signer",
			"main",
			...file,
			"--port",
			"0",
		);
		expect(errorRecord(second)["message"]).toBe(`another service uses the folder ${at("srv")}`);
	});
});
