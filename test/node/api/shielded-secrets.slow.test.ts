/** Nothing of a request with shielded keys may be logged, counted or quoted in an error: every such method, in many forms. */

import { inspect } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import type { Message, MessageType } from "../../../src/protocol/codec/descriptor.js";
import { setField } from "../../../src/protocol/codec/descriptor.js";
import { services } from "../../../src/protocol/generated/services.js";
import { KEYS } from "../../protocol/sapling/vectors.js";
import { type GrpcNode, startGrpcNode } from "./grpc/grpc-node.js";

const [, { spendingKey, ask, nsk, ovk, ak, nk, ivk, diversifier }] = KEYS;
/** By the names of fields; other bytes are the spending key, but for the id of a transaction. */
const BY_NAME: Readonly<Record<string, string>> = {
	...{ ask, nsk, ovk, ak, nk, ivk },
	d: diversifier,
	hash: "ab".repeat(32),
};
const SECRETS = [spendingKey, ask, nsk, ovk, ak, nk, ivk];

/** Methods whose requests can carry keys: those of shielded transactions (protocol/shielded §5.2). */
const METHODS = Object.entries(services.Wallet).filter(([name]) =>
	/Shield|Spend|Note|AkFromAsk|NkFromNsk|ViewingKey|Zen|Rcm|Diversifier|Voucher/.test(name),
) as unknown as readonly (readonly [name: string, types: { readonly request: MessageType<Message> }])[];

/** How bytes stand in texts. */
function formsOf(hex: string): readonly string[] {
	const bytes = fromHex(hex);
	const half = bytes.subarray(0, 16);
	const list = [...half];
	return [
		hex.slice(0, 32),
		hex.slice(-32),
		list.map((byte) => byte.toString(16).padStart(2, "0")).join(" "),
		Buffer.from(half).toString("base64").slice(0, 20),
		Buffer.from(half).toString("base64url").slice(0, 20),
		list.join(","),
		list.join(", "),
		list.join(" "),
		BigInt(`0x${hex}`).toString(),
		BigInt(`0x${toHex(Uint8Array.from(bytes).reverse())}`).toString(),
		Buffer.from(half).toString("latin1"),
		JSON.stringify(Buffer.from(half).toString("latin1")).slice(1, -1),
		half.toString(),
	];
}
const FORMS = SECRETS.flatMap(formsOf);

/** What of a text is a key's; texts that break numbers into lines are joined first. */
function found(text: string): string | undefined {
	const flat = text.replace(/\s+/g, " ").toLowerCase();
	return FORMS.find((form) => flat.includes(form.toLowerCase()));
}

/** A request whose every field is filled, bytes with keys. */
function filled(type: MessageType<Message>, depth = 0): Message {
	const message = type.create();
	for (const { name, kind, label, message: nested } of type.fields) {
		if (label === "map" || (kind === "message" && depth > 3)) continue;
		const secret = BY_NAME[name] ?? spendingKey;
		const value =
			kind === "bytes"
				? fromHex(secret)
				: kind === "string"
					? "1"
					: kind === "message" && nested
						? filled(nested(), depth + 1)
						: kind === "int64"
							? 1n
							: kind === "bool"
								? false
								: 0;
		// From release 4.8.2 on a list of events is refused before anything else.
		if (name !== "events") setField(message, name, label === "repeated" ? [value] : value);
	}
	return message;
}

/** The same as JSON of the HTTP server. */
const jsonOf = (value: unknown): string =>
	JSON.stringify(value, (key, each: unknown) => {
		if (key === "$unknown") return undefined;
		if (typeof each === "bigint") return Number(each);
		if (each instanceof Uint8Array) return toHex(each);
		if (typeof each === "object" && each !== null && "type" in each && "data" in each) {
			const { data } = each as { readonly data: readonly number[] };
			return toHex(Uint8Array.from(data));
		}
		return each;
	});

const logged: string[] = [];
const note =
	(level: string) =>
	(fields: object, message: string): void => {
		logged.push(
			`${level} ${message} ${inspect(fields, { depth: 9, maxArrayLength: null })} ${jsonOf(fields)}`,
		);
	};
const log = { info: note("info"), warn: note("warn"), error: note("error") };

let node: GrpcNode;
let broken: GrpcNode;
const write = { stdout: process.stdout.write, stderr: process.stderr.write };

beforeAll(async () => {
	for (const stream of ["stdout", "stderr"] as const) {
		process[stream].write = ((chunk: string | Uint8Array, ...rest: never[]) => {
			logged.push(String(chunk));
			return write[stream].call(process[stream], chunk, ...rest);
		}) as typeof process.stdout.write;
	}
	const settings =
		"node.allowShieldedTransactionApi = true, node.metrics.prometheus { enable = true, port = 0 }";
	node = await startGrpcNode(settings, { log });
	// One on which whatever goes on fails within the program, which is logged with its trace.
	broken = await startGrpcNode(settings, {
		log,
		shieldedWork: {
			random: () => {
				throw new Error("no randomness");
			},
			prover: () => Promise.reject(new Error("no prover")),
		},
	});
});
afterAll(async () => {
	Object.assign(process.stdout, { write: write.stdout });
	Object.assign(process.stderr, { write: write.stderr });
	await node.close();
	await broken.close();
});

/** Texts of a request that aren't what the method reads. */
const damages: readonly (readonly [name: string, damage: (json: string) => string])[] = [
	["whole", (json) => json],
	["cut in a key", (json) => json.slice(0, json.indexOf(json.match(/[0-9a-f]{64}/)?.[0] ?? "") + 60)],
	["with keys too long", (json) => json.replace(/[0-9a-f]{64}/g, "$&$&")],
	["with keys too short", (json) => json.replace(/([0-9a-f]{60})[0-9a-f]{4}/g, "$1")],
	["with an odd digit", (json) => json.replace(/[0-9a-f]{64}/g, "$&0")],
	["with another letter", (json) => json.replace(/[0-9a-f]{64}/g, "$&zz")],
	[
		"with numbers in place of keys",
		(json) => json.replace(/"([0-9a-f]{64})"/g, (_, hex) => `${BigInt(`0x${hex}`)}`),
	],
	["with objects in place of keys", (json) => json.replace(/"[0-9a-f]{64}"/g, '{"key":$&}')],
	["with keys for numbers", (json) => json.replace(/:1([,}])/g, `:"${spendingKey}"$1`)],
];

/** Whether an answer says what went wrong; others may hold keys that were asked for. */
const isRefusal = (text: string): boolean => /error|exception|class |message/i.test(text);

test("there are methods to be asked", () => {
	expect(METHODS.length).toBe(25);
	expect(found(`x ${inspect(fromHex(ask))}`)).toBeDefined();
	expect(found(`x ${[...fromHex(nsk)]}`)).toBeDefined();
	expect(found("an ordinary text of no secret")).toBeUndefined();
});

test.each(METHODS)("%s keeps keys out of logs and errors", async (name, { request }) => {
	const message = filled(request);
	const json = jsonOf(message);
	const answers: string[] = [];
	for (const one of [node, broken]) {
		for (const [, damage] of damages) {
			const answer = await one.ask(`/wallet/${name.toLowerCase()}`, { body: damage(json) });
			expect(answer.status).not.toBe(404);
			answers.push(answer.text);
		}
		const query = new URLSearchParams(JSON.parse(json) as Record<string, string>);
		answers.push((await one.ask(`/wallet/${name.toLowerCase()}?${query}`)).text);
		const bytes = request.encode(message);
		for (const body of [bytes, bytes.subarray(0, bytes.length - 3), Uint8Array.of(...bytes, 7)]) {
			const answer = await one.send(`/protocol.Wallet/${name}`, body);
			if ("error" in answer) answers.push(`error ${inspect(answer.error, { depth: 9 })}`);
		}
	}
	for (const text of answers.filter(isRefusal)) expect(found(text), text.slice(0, 300)).toBeUndefined();
	for (const text of logged) expect(found(text), text.slice(0, 600)).toBeUndefined();
});

test("what failed within the program was logged", () => {
	expect(logged.some((text) => text.includes("no randomness"))).toBe(true);
});

test("metrics have none", async () => {
	for (const one of [node, broken]) {
		const { text } = await one.ask("/metrics", { server: "metrics" });
		expect(text).toContain("http");
		expect(found(text)).toBeUndefined();
	}
});
