import { expect, test } from "vitest";
import { downloadWhole, type Fetch, openSource } from "../../../src/node/snapshot/source.js";

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
