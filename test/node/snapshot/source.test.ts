import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Manifest, SnapshotError } from "../../../src/node/snapshot/manifest.js";
import {
	downloadWhole,
	type Fetch,
	openSource,
	reusing,
	SnapshotStopped,
} from "../../../src/node/snapshot/source.js";

const FILE = Buffer.from("0123456789abcdef");

/** A server that is asked several times. */
function server(...answers: ((from: number) => Response)[]): {
	readonly fetch: Fetch;
	readonly asked: string[];
} {
	const asked: string[] = [];
	return {
		asked,
		fetch: async (url, { headers }) => {
			const from = Number(/^bytes=(\d+)-$/.exec(headers["range"] ?? "")?.[1] ?? 0);
			asked.push(`${url} ${from}`);
			return (answers[asked.length - 1] ?? answers.at(-1))?.(from) as Response;
		},
	};
}

/** Gives so many bytes, then the connection breaks. */
const breaking =
	(bytes: number) =>
	(from: number): Response => {
		let isGiven = false;
		const body = new ReadableStream<Uint8Array>({
			pull(controller) {
				if (isGiven) return controller.error(new Error("reset"));
				isGiven = true;
				controller.enqueue(FILE.subarray(from, from + bytes));
			},
		});
		return new Response(body, { status: from > 0 ? 206 : 200 });
	};
const whole = (from: number): Response => new Response(FILE.subarray(from), { status: from > 0 ? 206 : 200 });
const status = (code: number) => (): Response => new Response("", { status: code });

const read = ({ fetch }: { readonly fetch: Fetch }, most = 100): Promise<Buffer> =>
	downloadWhole(
		openSource("http://here/today", { fetch, pause: () => Promise.resolve() }),
		"chunks/000000.br",
		most,
	);

test("a file is read whole", async () => {
	const plain = server(whole);
	expect(await read(plain)).toEqual(FILE);
	expect(plain.asked).toEqual(["http://here/today/chunks/000000.br 0"]);
});

test("a connection that breaks is gone on with from where it was", async () => {
	const broken = server(breaking(5), breaking(4), whole);
	expect(await read(broken)).toEqual(FILE);
	expect(broken.asked.map((url) => url.split(" ")[1])).toEqual(["0", "5", "9"]);
});

test("a server that knows no ranges begins anew, and nothing is taken twice", async () => {
	const plain = server(breaking(5), () => new Response(FILE));
	expect(await read(plain)).toEqual(FILE);
});

test("a busy server is asked again, and one that stays so is given up with one sentence", async () => {
	expect(await read(server(status(503), status(429), whole))).toEqual(FILE);
	const busy = server(status(503));
	await expect(read(busy)).rejects.toThrow(
		"http://here/today/chunks/000000.br can't be read: the server answers 503",
	);
	expect(busy.asked).toHaveLength(5);
});

test("what isn't there is not asked for again", async () => {
	const absent = server(status(404));
	await expect(read(absent)).rejects.toThrow("the server answers 404");
	expect(absent.asked).toHaveLength(1);
});

test("a file that is longer than it may be is refused while it comes", async () => {
	await expect(read(server(whole), 15)).rejects.toThrow(
		"chunks/000000.br of the snapshot is longer than it may be",
	);
});

test("no network at all is said so", async () => {
	const none: Fetch = () =>
		Promise.reject(Object.assign(new Error("fetch failed"), { cause: { code: "ECONNREFUSED" } }));
	await expect(read({ fetch: none })).rejects.toThrow("can't be read: ECONNREFUSED");
});

test.each(["answers nothing", "stops in the middle"])(
	"a server that %s doesn't hold up who stops",
	async (how) => {
		const stop = new AbortController();
		const fetch: Fetch = async (_, { signal }) => {
			setImmediate(() => stop.abort());
			if (how === "stops in the middle") {
				const cancel = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
					controller.enqueue(FILE.subarray(0, 5));
					signal.addEventListener("abort", () => controller.error(signal.reason));
				};
				return new Response(new ReadableStream({ start: cancel }));
			}
			return new Promise((_, fail) => {
				signal.addEventListener("abort", () => fail(signal.reason));
			});
		};
		const pause = (): Promise<unknown> => Promise.reject(new Error("it goes on"));
		const source = openSource("http://here/today", { fetch, pause, signal: stop.signal });
		await expect(downloadWhole(source, "manifest.json", 99)).rejects.toBeInstanceOf(SnapshotStopped);
		// Nothing is asked any more.
		await expect(downloadWhole(source, "manifest.sig", 99)).rejects.toBeInstanceOf(SnapshotStopped);
	},
);

test("what a service names as its newest is read from there on, whatever becomes the newest", async () => {
	let newest = 1;
	const asked: string[] = [];
	const fetch: Fetch = async (url) => {
		asked.push(url);
		const answer = new Response("");
		const to = url.endsWith("/s/manifest.json") ? `http://here/s/${newest}-aa/manifest.json` : url;
		return Object.defineProperties(answer, { redirected: { value: to !== url }, url: { value: to } });
	};
	const source = openSource("http://here/s", { fetch, pause: () => Promise.resolve() });
	await downloadWhole(source, "manifest.json", 9);
	newest = 2;
	await downloadWhole(source, "chunks/000000.br", 9);
	expect(asked).toEqual(["http://here/s/manifest.json", "http://here/s/1-aa/chunks/000000.br"]);
	expect(source.address).toBe("http://here/s/1-aa/");
});

test("files that are the same in a folder are read from there, and others, damaged ones among them, are not", async () => {
	const folder = mkdtempSync(join(tmpdir(), "coin-reuse-"));
	const contents = ["in files", "by hash", "damaged", "absent"];
	const chunks = contents.map((text, at) => ({
		name: `chunks/${at}`,
		bytes: text.length,
		sha256: createHash("sha256").update(text).digest("hex"),
	}));
	mkdirSync(join(folder, "files"));
	writeFileSync(join(folder, "files", chunks[0]?.sha256 as string), "in files");
	writeFileSync(join(folder, chunks[1]?.sha256 as string), "by hash");
	writeFileSync(join(folder, chunks[2]?.sha256 as string), "DAMAGED");
	const fetched: string[] = [];
	const far = {
		async *read(name: string): AsyncGenerator<Uint8Array> {
			fetched.push(name);
			yield Buffer.from(contents[Number(name.at(-1))] as string);
		},
		again: async () => false,
	};
	const wanted = { chunks, segments: [] } as unknown as Manifest;
	const { source, bytes } = await reusing(far, wanted, folder);
	expect(bytes).toBe("in filesby hashdamaged".length);
	for (const [at, { name }] of chunks.entries())
		expect((await downloadWhole(source, name, 99)).toString()).toBe(contents[at]);
	expect(fetched).toEqual(["chunks/2", "chunks/3"]);
	const none = join(folder, "none");
	await expect(reusing(far, wanted, none)).rejects.toThrow(`there is no folder ${none} whose files`);
	await expect(reusing(far, wanted, join(folder, chunks[1]?.sha256 as string))).rejects.toThrow(
		SnapshotError,
	);
	rmSync(folder, { recursive: true });
});

test("an address with a user or password is refused without either in the sentence", () => {
	const network = { fetch: () => Promise.reject(new Error("asked")), pause: () => Promise.resolve() };
	expect(() => openSource("https://ann:secret@here/today", network)).toThrow(
		/^the address of a snapshot may hold no user and no password$/,
	);
	expect(() => openSource("https://here/ann@today", network)).not.toThrow();
});
