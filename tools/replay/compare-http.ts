/** Compares HTTP answers with recorded ones, and builds the requests. */

import { createHash } from "node:crypto";
import { judgeRandomJson } from "./random-answers.js";
import type { RequestLine } from "./recording.js";
import { type Skip, sameText, skipsOf } from "./skips.js";
import type { HttpAnswer, HttpRequest } from "./target.js";
import {
	compareOrder,
	compareTrees,
	type Difference,
	jsonTree,
	type Leniency,
	member,
	show,
	type Tree,
} from "./tree.js";

/** Random ids returned by the node, by the recorded ids. */
export type Ids = Map<string, string>;

export type Outcome =
	| { readonly kind: "passed" }
	| { readonly kind: "skipped"; readonly why: string }
	| { readonly kind: "failed"; readonly differences: readonly Difference[] };

const PASSED: Outcome = { kind: "passed" };

/** The request of a recorded exchange, with our ids in place of recorded ones. */
export function toRequest(line: RequestLine, ids: Ids): HttpRequest {
	const headers: { accept?: string; "content-type"?: string } = {};
	let body = line.bodyOf === undefined ? line.body : longBody(line.bodyOf.length);
	const type = line.reqType ?? (body === undefined ? "" : "application/json");
	if (type !== "") headers["content-type"] = type;
	if (line.accept !== undefined) headers.accept = line.accept;
	for (const [recorded, ours] of ids) body = body?.replaceAll(recorded, ours);
	return { port: line.port, verb: line.verb, path: `/${line.path}`, body, headers };
}

function longBody(length: number): string {
	return `{"x":"${"a".repeat(length - 8)}"}`;
}

/** Whether a request's body is recorded, or can be generated. */
export function hasBody({ bodyOf }: RequestLine): boolean {
	if (bodyOf?.sha256 === undefined) return true;
	return createHash("sha256").update(longBody(bodyOf.length)).digest("hex") === bodyOf.sha256;
}

/** Accepts any answer that isn't an internal error: a result, none, or a refusal by the network's rules. */
function judgeServed({ status, body }: HttpAnswer): Outcome {
	const answer = body.trim() === "" ? new Map<string, Tree>() : readJson(body);
	const refusal = member(answer, "Error");
	const isFault = typeof refusal === "string" && FAULT.test(refusal);
	if (status === 200 && answer instanceof Map && !isFault) return PASSED;
	return {
		kind: "failed",
		differences: [
			{ path: "(answer)", expected: "(200, and an object)", got: `${status} ${body.slice(0, 200)}` },
		],
	};
}

/** Internal errors: this class is legitimate only with these texts. */
const FAULT =
	/^class java\.lang\.RuntimeException : (?!tx is not found|blockNum:|outPoint|synBlockNum|cm not found|tree is null)/;

/** Compares an answer; remembers new ids. */
export function compareHttp(line: RequestLine, got: HttpAnswer, ids: Ids): Outcome {
	const name = `${line.port} ${line.verb} ${pathOf(line)}`;
	const skips = skipsOf(name, line);
	const skipped = skips.find((skip) => skip.effect.kind === "nothing");
	if (skipped !== undefined) return { kind: "skipped", why: skipped.why };
	if (skips.some((skip) => skip.effect.kind === "served")) return judgeServed(got);
	const differences = compareHead(line, got);
	if (line.verb !== "HEAD" && !skips.some((skip) => skip.effect.kind === "head")) {
		differences.push(...compareBody(line, name, skips, got.body, ids));
		if (differences.length === 0 && line.volatile && !isFailure(line.answer))
			differences.push(...judgeRandom(line, got.body));
	}
	return differences.length === 0 ? PASSED : { kind: "failed", differences };
}

function compareHead(line: RequestLine, got: HttpAnswer): Difference[] {
	const recorded = new Map<string, Tree>([
		["(status)", BigInt(line.status)],
		["(content type)", contentType(line.type)],
	]);
	const answered = new Map<string, Tree>([
		["(status)", BigInt(got.status)],
		["(content type)", contentType(got.type)],
	]);
	if (line.allow !== undefined) {
		recorded.set("(allow)", line.allow);
		answered.set("(allow)", got.allow ?? null);
	}
	return compareTrees(recorded, answered);
}

function contentType(text: string | null): string | null {
	return text === null ? null : text.toLowerCase().replaceAll(" ", "");
}

function compareBody(
	line: RequestLine,
	name: string,
	skips: readonly Skip[],
	body: string,
	ids: Ids,
): readonly Difference[] {
	// Most are identical bytes.
	if (line.answer === body) return [];
	const expected = readJson(line.answer);
	const got = readJson(body);
	if (expected === undefined || got === undefined) {
		const [left, right] = [line.answer.trim(), body.trim()];
		return left === right || sameText(left, right, "") ? [] : [{ path: "", expected: left, got: right }];
	}
	if (!line.port.startsWith("jsonrpc")) return compareJson(expected, got, skips);
	const calls = readCalls(line);
	if (Array.isArray(expected) && Array.isArray(got)) {
		return Array.from({ length: Math.max(expected.length, got.length) }, (_, i) =>
			compareCall(line, name, calls, expected[i], got[i], ids).map((difference) => ({
				...difference,
				path: difference.path === "" ? `[${i}]` : `[${i}].${difference.path}`,
			})),
		).flat();
	}
	return compareCall(line, name, calls, expected, got, ids);
}

function compareCall(
	line: RequestLine,
	name: string,
	calls: readonly Tree[],
	expected: Tree | undefined,
	got: Tree | undefined,
	ids: Ids,
): readonly Difference[] {
	if (expected === undefined || got === undefined) return [{ path: "", expected, got }];
	const id = member(expected, "id");
	const call = calls.find((one) => show(member(one, "id")) === show(id)) ?? calls[0];
	const method = member(call, "method");
	const skips = skipsOf(`${name} ${typeof method === "string" ? method : ""}`, {
		...line,
		answer: JSON.stringify({
			exceptionTypeName: member(expected, "error", "data", "exceptionTypeName") ?? null,
		}),
	});
	if (skips.some((skip) => skip.effect.kind === "head")) return [];
	const [recorded, ours] = [member(expected, "result"), member(got, "result")];
	const isNewFilter = typeof method === "string" && /^eth_new(Block)?Filter$/.test(method);
	if (isNewFilter && typeof recorded === "string" && typeof ours === "string")
		ids.set(digitsOf(recorded), digitsOf(ours));
	const differences = compareJson(expected, got, skips);
	// Clients may hash or compare answers as text, so the order of members matters.
	return differences.length > 0 ? differences : compareOrder(recorded, ours);
}

/** An id without `0x`, as some requests send it. */
function digitsOf(id: string): string {
	return id.replace(/^0x/, "");
}

/** Compares two JSON values by the rules of their request. */
function compareJson(expected: Tree, got: Tree, skips: readonly Skip[]): readonly Difference[] {
	const leniency = toLeniency(skips);
	if (!skips.some((skip) => skip.effect.kind === "names")) return compareTrees(expected, got, leniency);
	return compareTrees(namesOf(expected), namesOf(got), leniency);
}

const isFailure = (answer: string): boolean => answer.startsWith('{"Error"');

function judgeRandom(line: RequestLine, answer: string): Difference[] {
	const method = pathOf(line).slice(pathOf(line).lastIndexOf("/") + 1);
	const wrong = judgeRandomJson({
		method,
		request: line.body ?? "",
		recorded: line.answer,
		answer,
		tokenId: "",
	});
	return wrong === undefined ? [] : [{ path: "(random answer)", expected: "(as its rule says)", got: wrong }];
}

/** What the rules of a request allow. */
export function toLeniency(skips: readonly Skip[]): Leniency {
	const places = (kind: "free" | "unordered") =>
		new Set(skips.flatMap(({ effect }) => (effect.kind === kind ? effect.places : [])));
	const [free, unordered] = [places("free"), places("unordered")];
	const isFree = (place: string) => free.has(place) || (free.has("*") && !/^(?:Error$|\(error)/.test(place));
	return { free: isFree, unordered: (place) => unordered.has(place), sameText };
}

/** The same members with all values replaced by `true`; lists count as values. */
function namesOf(tree: Tree): Tree {
	if (!(tree instanceof Map)) return true;
	return new Map([...(tree as ReadonlyMap<string, Tree>)].map(([key, value]) => [key, namesOf(value)]));
}

/** Parsed JSON; undefined if invalid. */
function readJson(text: string): Tree | undefined {
	try {
		return jsonTree(text);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

function readCalls(line: RequestLine): readonly Tree[] {
	const body = readJson(line.body ?? "");
	if (body === undefined) return [];
	return Array.isArray(body) ? (body as readonly Tree[]) : [body];
}

function pathOf(line: RequestLine): string {
	return (line.path.split("?")[0] ?? "").replace(/^\/+|\/+$/g, "");
}

/** The wall clock time in a recorded answer; undefined if it has none. */
export function clockOf(answer: string): bigint | undefined {
	if (!answer.includes('"raw_data"')) return undefined;
	const tree = readJson(answer);
	return tree === undefined ? undefined : findTimestamp(tree);
}

/** The first transaction's `raw_data.timestamp` in a tree. */
export function findTimestamp(tree: Tree): bigint | undefined {
	if (Array.isArray(tree)) return firstOf(tree as readonly Tree[]);
	if (!(tree instanceof Map)) return undefined;
	const members = tree as ReadonlyMap<string, Tree>;
	const timestamp = member(members, "raw_data", "timestamp");
	if (typeof timestamp === "bigint" && member(members, "raw_data", "contract") !== undefined)
		return timestamp;
	return firstOf([...members.values()]);
}

function firstOf(trees: readonly Tree[]): bigint | undefined {
	for (const tree of trees) {
		const found = findTimestamp(tree);
		if (found !== undefined) return found;
	}
	return undefined;
}
