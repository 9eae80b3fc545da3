/** Compares gRPC answers with recorded ones: decoded messages, and errors by code and message. */

import { fromHex, toHex } from "../../src/protocol/bytes.js";
import type { Message, MessageType } from "../../src/protocol/codec/descriptor.js";
import { DecodeError, Reader } from "../../src/protocol/codec/reader.js";
import { services } from "../../src/protocol/generated/services.js";
import { findTimestamp, type Outcome, toLeniency } from "./compare-http.js";
import { judgeRandomMessage } from "./random-answers.js";
import type { GrpcLine } from "./recording.js";
import { skipsOf } from "./skips.js";
import type { GrpcAnswer } from "./target.js";
import { compareTrees, messageTree, type Tree } from "./tree.js";

const REFLECTION = /^\/grpc\.reflection\./;

/** Compares an answer. @param tokenId of the shielded token */
export function compareGrpc(line: GrpcLine, got: GrpcAnswer, tokenId = ""): Outcome {
	const skips = skipsOf(`${line.port} ${line.path}`, line);
	const skipped = skips.find((skip) => skip.effect.kind === "nothing");
	if (skipped !== undefined) return { kind: "skipped", why: skipped.why };
	const leniency = toLeniency(skips);
	const differences = compareTrees(
		line.error === undefined ? answerTree(line.path, fromHex(line.answer ?? "")) : errorTree(line.error),
		"error" in got ? errorTree(got.error) : answerTree(line.path, got.answer),
		{ ...leniency, unordered: (place) => place === "services" || leniency.unordered?.(place) === true },
	).filter(({ path }) => !leniency.free?.(path.replaceAll(/\[\d+\]/g, "[*]")));
	if (differences.length === 0 && line.volatile && !("error" in got) && line.answer !== undefined) {
		const wrong = judgeRandomMessage({
			method: line.path.slice(line.path.lastIndexOf("/") + 1),
			request: fromHex(line.request),
			recorded: fromHex(line.answer),
			answer: got.answer,
			tokenId,
		});
		if (wrong !== undefined)
			differences.push({ path: "(random answer)", expected: "(as its rule says)", got: wrong });
	}
	return differences.length === 0 ? { kind: "passed" } : { kind: "failed", differences };
}

/** The wall clock time in a recorded answer; undefined if it has none. */
export function clockOfGrpc(line: GrpcLine): bigint | undefined {
	if (line.answer === undefined || REFLECTION.test(line.path)) return undefined;
	return findTimestamp(answerTree(line.path, fromHex(line.answer)));
}

function errorTree(error: { readonly code: number; readonly message: string }): Tree {
	return new Map<string, Tree>([
		["(error code)", BigInt(error.code)],
		["(error message)", error.message],
	]);
}

function answerTree(path: string, bytes: Uint8Array): Tree {
	if (REFLECTION.test(path)) return reflectionTree(bytes);
	const type = responseType(path);
	if (type === undefined) return toHex(bytes);
	try {
		return messageTree(type, type.decode(bytes));
	} catch (error) {
		if (error instanceof DecodeError) return toHex(bytes);
		throw error;
	}
}

function responseType(path: string): MessageType<Message> | undefined {
	const [, service = "", method = ""] = /^\/protocol\.(\w+)\/(\w+)$/.exec(path) ?? [];
	const methods = (services as Readonly<Record<string, Readonly<Record<string, { response: unknown }>>>>)[
		service
	];
	return methods?.[method]?.response as MessageType<Message> | undefined;
}

/** Fields of a reflection answer (grpc/reflection/v1alpha): services compared as a set, files not at all. */
const REFLECTION_FIELDS: Readonly<Record<number, string>> = {
	2: "original request",
	4: "files",
	6: "services",
	7: "error",
};

function reflectionTree(bytes: Uint8Array): Tree {
	const tree = new Map<string, Tree>();
	for (const [number, value] of lengthFields(bytes)) {
		const name = REFLECTION_FIELDS[number] ?? `field ${number}`;
		if (name === "files") tree.set(name, true);
		else if (name === "services")
			tree.set(
				name,
				lengthFields(value).map(([, service]) => toHex(service)),
			);
		else tree.set(name, toHex(value));
	}
	return tree;
}

/** The length-prefixed fields of a message without a schema. */
function lengthFields(bytes: Uint8Array): [number: number, value: Uint8Array][] {
	const reader = new Reader(bytes);
	const fields: [number, Uint8Array][] = [];
	while (reader.pos < reader.end) {
		const tag = reader.uint32();
		if ((tag & 7) !== 2) return fields;
		fields.push([tag >>> 3, reader.bytes()]);
	}
	return fields;
}
