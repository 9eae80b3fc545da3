/** Mutual TLS: who is served, and who isn't heard. The certificates beside this file last a hundred years, for 127.0.0.1. */

import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createWebServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type ConnectionOptions,
	connect as connectTls,
	createServer as createTlsServer,
	Server as TlsServer,
} from "node:tls";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
	keysOfSigner,
	readSignerFiles,
	type SignerError,
	type SignerFiles,
	type SignerPlace,
} from "../../../src/keystore/signer/client.js";
import { parsePolicies, type SignerClient } from "../../../src/keystore/signer/policies.js";
import { PolicyDesk } from "../../../src/keystore/signer/policy-desk.js";
import { Signer } from "../../../src/keystore/signer/server.js";
import { listenTls } from "../../../src/keystore/signer/tls-listener.js";
import { MAX_CONNECTIONS } from "../../../src/node/listening/connection-gate.js";
import { toBase58Check } from "../../../src/protocol/address.js";
import { BlockHeaderRaw } from "../../../src/protocol/messages.js";
import { addressOfPrivateKey } from "../../../src/protocol/signature.js";
import { SLOT_MS } from "../../../src/protocol/timing.js";

const KEY = new Uint8Array(32).fill(7);
const ADDRESS = addressOfPrivateKey(KEY);
const NOW_MS = 1_700_000_000_000;
/** No test waits for it: what gives way does so for another reason. */
const HANDSHAKE_MS = 3_600_000;
/** Nor for what other tests of the process take. */
const UNMETERED = { now: () => 0, cpu: () => 0 };

/** Waits for an answer for as long as a busy machine takes. */
const keysOf = (place: SignerPlace) => keysOfSigner(place, HANDSHAKE_MS);

const file = (name: string): string => fileURLToPath(new URL(`certificates/${name}`, import.meta.url));
const filesOf = (name: string, ca = "ca"): SignerFiles => ({
	certificate: file(`${name}.pem`),
	key: file(`${name}.key`),
	ca: file(`${ca}.pem`),
});
const fingerprint = (name: string): string =>
	new X509Certificate(readFileSync(file(`${name}.pem`))).fingerprint256;

let directory: string;
let signer: Signer;
let desk: PolicyDesk;
let listener: Awaited<ReturnType<typeof listenTls>>;

beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), "coin-signer-"));
	const text = `clients { payroll { certificate = "${fingerprint("payroll")}", node = true }, other { socket = "${join(directory, "other")}" } }, rules = []`;
	desk = new PolicyDesk(
		parsePolicies(text, "policies.conf", new Map([["treasury", toBase58Check(ADDRESS)]])),
	);
	signer = await Signer.start({
		keys: [KEY.slice()],
		directory: join(directory, "state"),
		desk,
		now: () => NOW_MS,
	});
	listener = await listenTls(
		"127.0.0.1:0",
		filesOf("server"),
		() => desk.clients,
		(socket, client) => signer.serve(socket, client),
		HANDSHAKE_MS,
		UNMETERED,
	);
});
afterAll(async () => {
	await listener.close();
	await signer.close();
	rmSync(directory, { recursive: true, force: true });
});

const port = (): number => Number(listener.at.split(":").at(-1));

/** What comes back on a connection of TLS, or why nothing does. */
function answerTo(
	options: ConnectionOptions & { localAddress?: string },
	request = '{"do":"list"}\n',
): Promise<string> {
	return new Promise((resolve) => {
		let text = "";
		const socket = connectTls({
			host: "127.0.0.1",
			port: port(),
			ca: readFileSync(file("ca.pem")),
			...options,
		});
		socket.on("secureConnect", () => socket.write(request));
		socket.setEncoding("utf8").on("data", (part: string) => {
			text += part;
		});
		socket.on("error", ({ code }: NodeJS.ErrnoException) => {
			text ||= String(code);
		});
		socket.on("close", () => resolve(text));
	});
}

test("a client whose certificate is named is served, as the one that it is", async () => {
	const [key] = await keysOf({ at: listener.at, files: filesOf("payroll") });
	expect(key?.address).toEqual(ADDRESS);
	expect(await key?.sign("hello", BigInt(NOW_MS))).toHaveLength(65);
	await expect(key?.signTransaction(Uint8Array.of(1))).rejects.toThrow("the bytes are not a transaction");
});

test("a certificate of the CA that no client has is refused in a sentence", async () => {
	const asked = keysOf({ at: listener.at, files: filesOf("unnamed") });
	await expect(asked).rejects.toMatchObject({
		message: expect.stringContaining("the policies name no client with this certificate"),
		isAway: false,
	});
});

test("a certificate of another CA, one that has expired, and none at all, are refused with the reason", async () => {
	expect(await answerTo({})).toBe('{"error":"the client shows no certificate"}\n');
	await expect(keysOf({ at: listener.at, files: filesOf("stranger") })).rejects.toMatchObject({
		message: "the signer refuses: the client's certificate is of another CA",
		isAway: false,
	});
	const files = { ...filesOf("server"), ca: file("expired.pem") };
	const other = await listenTls(
		"127.0.0.1:0",
		files,
		() => [],
		() => undefined,
	);
	const expired = { ...filesOf("payroll"), certificate: file("expired.pem") };
	await expect(keysOf({ at: other.at, files: expired })).rejects.toThrow(
		"the signer refuses: the client's certificate has expired",
	);
	await other.close();
});

/** A server that ends each handshake with this fatal alert of TLS. */
const alerting = (alert: number) => (): Server =>
	createServer((socket) => socket.on("error", () => undefined).end(Buffer.of(21, 3, 3, 0, 2, 2, alert)));

test.each<[string, () => Server, string]>([
	["HTTP", () => createWebServer((_, answer) => answer.end("hello")), "what answers there doesn't speak TLS"],
	[
		"an older TLS",
		() => createTlsServer({ ...readSignerFiles(filesOf("server")), maxVersion: "TLSv1.2" }),
		"it doesn't speak TLS 1.3",
	],
	[
		"a TLS that wants other certificates",
		() => {
			const wanted = { requestCert: true, minVersion: "TLSv1.3" as const };
			return createTlsServer(
				{ ...readSignerFiles(filesOf("server", "stranger-ca")), ...wanted },
				(socket) => {
					socket.on("error", () => undefined);
				},
			);
		},
		"it closed the connection",
	],
	["nothing", () => createServer((socket) => socket.destroy()), "it closed the connection"],
	[
		"a TLS that doesn't know the CA",
		alerting(48),
		"it refuses the certificate that it is shown: it is of another CA",
	],
	[
		"a TLS with a clock that is ahead",
		alerting(45),
		"it refuses the certificate that it is shown: it has expired",
	],
	[
		"a TLS that takes no such certificate",
		alerting(116),
		"it wants a certificate, and is shown none that it takes",
	],
	["a TLS that fails otherwise", alerting(40), "TLS fails with it: ERR_SSL_"],
])("where %s is, the reason is told in words", async (_, begin, reason) => {
	const server = begin().listen(0, "127.0.0.1");
	await once(server, "listening");
	const at = `tls://127.0.0.1:${(server.address() as AddressInfo).port}`;
	await expect(keysOf({ at, files: filesOf("payroll") })).rejects.toThrow(
		`no signer answers at ${at} (${reason}`,
	);
	server.close();
});

test("a signer that is away is told from a certificate, a file or a place by which none can answer", async () => {
	const reasonAt = (at: string, files?: SignerFiles) =>
		keysOf({ at, files }).catch(({ message, isAway }: SignerError) => ({ message, isAway }));
	const gone = createServer().listen(0, "127.0.0.1");
	await once(gone, "listening");
	const nowhere = `tls://127.0.0.1:${(gone.address() as AddressInfo).port}`;
	gone.close();
	await once(gone, "close");
	const silent = createServer((socket) => socket.destroy()).listen(join(directory, "silent"));
	const other = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
	other.listen(join(directory, "web"));
	await Promise.all([once(silent, "listening"), once(other, "listening")]);
	for (const answer of [
		reasonAt(join(directory, "none")),
		reasonAt(join(directory, "silent")),
		reasonAt(nowhere, filesOf("payroll")),
	])
		expect(await answer).toMatchObject({ isAway: true });
	for (const answer of [
		reasonAt(join(directory, "web")),
		reasonAt(listener.at, filesOf("payroll", "stranger-ca")),
		reasonAt(listener.at, filesOf("unnamed")),
		reasonAt(listener.at, { ...filesOf("payroll"), ca: file("gone.pem") }),
		reasonAt("tls://nowhere", filesOf("payroll")),
	])
		expect(await answer).toMatchObject({ isAway: false });
	for (const server of [silent, other]) server.close();
});

const header = (slot: number): Uint8Array =>
	BlockHeaderRaw.encode(
		BlockHeaderRaw.create({
			number: BigInt(slot),
			timestamp: BigInt(NOW_MS) + (BigInt(slot) - 4n) * SLOT_MS,
			txTrieRoot: new Uint8Array(32),
			parentHash: new Uint8Array(32),
			witness_address: ADDRESS,
		}),
	);

test("a connection opened in advance carries the next signature, or is replaced where it has closed since", async () => {
	const opened: Socket[] = [];
	let serve = (socket: Socket, client: SignerClient): void => signer.serve(socket, client);
	const counting = await listenTls(
		"127.0.0.1:0",
		filesOf("server"),
		() => desk.clients,
		(socket, client) => {
			opened.push(socket);
			serve(socket, client);
		},
		HANDSHAKE_MS,
		UNMETERED,
	);
	const [key] = await keysOf({ at: counting.at, files: filesOf("payroll") });
	const prepare = async (): Promise<void> => {
		const before = opened.length;
		key?.prepare();
		await expect.poll(() => opened.length).toBe(before + 1);
	};
	let slot = 0;
	const sign = async (): Promise<void> => {
		expect(await key?.sign("block", header(++slot))).toHaveLength(65);
	};
	await prepare();
	// A vote or a greeting leaves it to the block.
	expect(await key?.sign("hello", BigInt(NOW_MS))).toHaveLength(65);
	expect(opened).toHaveLength(3);
	await sign();
	expect(opened).toHaveLength(3);
	// One that wasn't needed gives way to the next one.
	await prepare();
	await prepare();
	await expect.poll(() => opened[3]?.destroyed).toBe(true);
	await sign();
	expect(opened).toHaveLength(5);
	await sign();
	expect(opened).toHaveLength(6);
	// Closed while nothing is asked: the client knows it, or is told once it asks.
	await prepare();
	opened[6]?.destroy();
	await sign();
	expect(opened).toHaveLength(8);
	// Closed by the request.
	const served = serve;
	serve = (socket) => {
		socket.on("data", () => socket.destroy());
		serve = served;
	};
	await prepare();
	await sign();
	expect(opened).toHaveLength(10);
	// Lost without notice: another one is tried in the same time.
	let asked = "";
	serve = (socket) => {
		socket.on("data", (chunk) => {
			asked += String(chunk);
		});
		serve = served;
	};
	await prepare();
	vi.useFakeTimers({ toFake: ["setTimeout"] });
	const signed = sign();
	await expect.poll(() => asked).toContain("\n");
	vi.advanceTimersByTime(HANDSHAKE_MS / 2);
	vi.useRealTimers();
	await signed;
	expect(opened).toHaveLength(12);
	// One that is open doesn't hold up the end.
	await prepare();
	vi.useFakeTimers({ toFake: ["setTimeout"] });
	await counting.close();
	vi.useRealTimers();
	await expect(key?.sign("block", header(++slot))).rejects.toMatchObject({ isAway: true });
});

test("an older TLS gets no answer", async () => {
	const named = { cert: readFileSync(file("payroll.pem")), key: readFileSync(file("payroll.key")) };
	expect(await answerTo({ ...named, maxVersion: "TLSv1.2", minVersion: "TLSv1.2" })).not.toContain("{");
	expect(await answerTo(named)).toContain(toBase58Check(ADDRESS));
});

test("a client is heard only as long as a handshake is, and one that is served as long as its request", async () => {
	const certificate = readFileSync(file("payroll.pem"), "utf8");
	const named = { cert: certificate, key: readFileSync(file("payroll.key")) };
	const chain = (length: number) => ({ ...named, cert: certificate.repeat(length) });
	expect(await answerTo(chain(5))).toContain(toBase58Check(ADDRESS));
	// 410 bytes each, with a signature of each to be looked at.
	expect(await answerTo(chain(25))).not.toContain("{");
	const long = `{"do":"list"${" ".repeat(20_000)}}\n`;
	expect(await answerTo(named, long)).toContain(toBase58Check(ADDRESS));
});

test("an address whose strangers take much processor time waits until it is paid back; others and known clients don't", async () => {
	const named = { cert: readFileSync(file("payroll.pem")), key: readFileSync(file("payroll.key")) };
	// The clock stands unless the test moves it, and each piece of a handshake costs what the test says.
	let nowMs = 0;
	let cpuMs = 0;
	let costMs = 0;
	const metered = await listenTls(
		"127.0.0.1:0",
		filesOf("server"),
		() => [
			{
				name: "payroll",
				certificate: fingerprint("payroll").replaceAll(":", "").toLowerCase(),
			} as SignerClient,
		],
		(socket) => socket.resume().end("served\n"),
		HANDSHAKE_MS,
		{
			now: () => nowMs,
			cpu: () => {
				cpuMs += costMs;
				return cpuMs;
			},
		},
	);
	const at = { host: "127.0.0.1", port: Number(metered.at.split(":").at(-1)) };
	// The session and two pieces cost more than an address may take, but not if they were a known client's.
	costMs = 40;
	for (let i = 0; i < 3; i++) expect(await answerTo({ ...named, ...at })).toBe("served\n");
	costMs = 100.01;
	cpuMs = 0;
	let answered = 0;
	const held = [{}, named].map(async (options) => {
		const answer = await answerTo({ ...options, ...at });
		answered++;
		return answer;
	});
	await expect.poll(() => cpuMs).toBeGreaterThan(0);
	costMs = 0;
	expect(await answerTo({ ...named, ...at, localAddress: "127.0.0.2" })).toBe("served\n");
	expect(answered).toBe(0);
	nowMs += 10_000;
	expect(await Promise.all(held)).toEqual(['{"error":"the client shows no certificate"}\n', "served\n"]);
	await metered.close();
});

test("a session is made of a connection that sends something, and charged to its address", async () => {
	let nowMs = 0;
	let cpuMs = 0;
	const none = (): void => undefined;
	const made: (string | undefined)[] = [];
	// No session is made here, only asked for; what servers of plain connections use is left as it is.
	const emit = (event: string, carrier: { readonly socket: Socket }): boolean =>
		event === "connection" && made.push(carrier.socket.remoteAddress) > 0;
	Object.assign(TlsServer.prototype, { emit });
	const metered = await listenTls("127.0.0.1:0", filesOf("server"), () => [], none, HANDSHAKE_MS, {
		now: () => nowMs,
		cpu: () => {
			cpuMs += 101;
			return cpuMs;
		},
	});
	const sockets: Socket[] = [];
	const open = async (localAddress: string, said?: string): Promise<void> => {
		const socket = connect({
			host: "127.0.0.1",
			port: Number(metered.at.split(":").at(-1)),
			localAddress,
		});
		sockets.push(socket.on("error", none));
		await once(socket, "connect");
		if (said !== undefined) socket.write(said);
	};
	for (let i = 0; i < 5; i++) await open("127.0.0.1");
	await open("127.0.0.1", "x");
	await expect.poll(() => made).toEqual(["127.0.0.1"]);
	await open("127.0.0.1", "x");
	await open("127.0.0.2", "x");
	await expect.poll(() => made).toEqual(["127.0.0.1", "127.0.0.2"]);
	// Bytes of the first may go on before the second's session, and are charged as well.
	await expect
		.poll(() => {
			nowMs += 10_000;
			return made;
		})
		.toEqual(["127.0.0.1", "127.0.0.2", "127.0.0.1"]);
	Reflect.deleteProperty(TlsServer.prototype, "emit");
	for (const socket of sockets) socket.destroy();
	await metered.close();
});

test("a connection that sends nothing is closed when a handshake would be", async () => {
	const brief = await listenTls(
		"127.0.0.1:0",
		filesOf("server"),
		() => [],
		() => undefined,
		1,
		UNMETERED,
	);
	const socket = connect(Number(brief.at.split(":").at(-1)), "127.0.0.1");
	await once(socket.resume(), "close");
	await brief.close();
});

test("the time of a handshake runs from the connection on, also where a first byte comes late", async () => {
	let made = 0;
	Object.assign(TlsServer.prototype, { emit: (event: string) => event === "connection" && ++made > 0 });
	const slow = await listenTls(
		"127.0.0.1:0",
		filesOf("server"),
		() => [],
		() => undefined,
		HANDSHAKE_MS,
		UNMETERED,
	);
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	const socket = connect(Number(slow.at.split(":").at(-1)), "127.0.0.1");
	socket.write("x");
	await expect.poll(() => made).toBe(1);
	vi.advanceTimersByTime(HANDSHAKE_MS);
	await once(socket.resume(), "close");
	vi.useRealTimers();
	Reflect.deleteProperty(TlsServer.prototype, "emit");
	await slow.close();
});

test("what isn't TLS gets no answer", async () => {
	const text = await new Promise<string>((resolve) => {
		let said = "";
		const socket = connect(port(), "127.0.0.1", () => socket.write('{"do":"list"}\n'));
		socket
			.on("error", () => undefined)
			.on("data", (part) => {
				said += part.toString("latin1");
			});
		socket.on("close", () => resolve(said));
	});
	expect(text).not.toContain(toBase58Check(ADDRESS));
});

test("connections on which nothing is asked give way, one for one, where they have taken all places", async () => {
	const silent = Array.from({ length: MAX_CONNECTIONS.signer }, () =>
		connect(port(), "127.0.0.1").on("error", () => undefined),
	);
	await Promise.all(silent.map((socket) => once(socket, "connect")));
	const named = { cert: readFileSync(file("payroll.pem")), key: readFileSync(file("payroll.key")) };
	expect(await answerTo(named)).toContain(toBase58Check(ADDRESS));
	// As many as waited are gone, not all of the first ones.
	expect(silent.filter(({ readyState }) => readyState === "open").length).toBeGreaterThan(32);
	for (const socket of silent) socket.destroy();
});

test("a client refuses a signer of another CA, and one under another name", async () => {
	await expect(keysOf({ at: listener.at, files: filesOf("payroll", "stranger-ca") })).rejects.toThrow(
		`no signer answers at ${listener.at} (its certificate is of another CA)`,
	);
	const elsewhere = connectTls({
		host: "127.0.0.1",
		port: port(),
		ca: readFileSync(file("ca.pem")),
		servername: "other.internal",
	});
	const code = await new Promise((resolve) => {
		elsewhere.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
	});
	expect(code).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
});

test("what is no address, and files that don't belong together, stop the start", async () => {
	const none = (): void => undefined;
	await expect(listenTls("7443", filesOf("server"), () => [], none)).rejects.toThrow(
		"is not an address to listen at",
	);
	const mixed = { ...filesOf("server"), key: file("payroll.key") };
	await expect(listenTls("127.0.0.1:0", mixed, () => [], none)).rejects.toThrow("can't be used together");
	await expect(
		keysOf({ at: listener.at, files: { ...filesOf("payroll"), key: file("server.key") } }),
	).rejects.toThrow("server.key and ");
	const missing = { ...filesOf("server"), ca: file("gone.pem") };
	await expect(listenTls("127.0.0.1:0", missing, () => [], none)).rejects.toThrow(
		"gone.pem can't be read (ENOENT)",
	);
	await expect(keysOf({ at: "tls://nowhere", files: filesOf("payroll") })).rejects.toThrow("tls://host:port");
});
