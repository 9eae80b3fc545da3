/** Reads a contract's interface from the JSON of a compiler or node, and searches it by name, selector or topic. */

import {
	type AbiItem,
	type AbiKind,
	type ContractInterface,
	hashedSignature,
	isComplete,
} from "../../abi/parameter.js";
import { selectorOf } from "../../abi/selector.js";
import { itemOfEntry } from "../../abi/stored-interface.js";
import { equalBytes } from "../../protocol/bytes.js";
import { buildFile, compiledContracts, isStandardOutput } from "../compiler/output.js";
import { Failure } from "../failure.js";
import { givenJson, isRecord, type Json, type JsonRecord, member, writeJson } from "../json.js";
import { nearest } from "../values/suggestion.js";
import { isSignature, parseSignature } from "./signature.js";

/**
 * Reads an interface from text: a compiler's list, a node's `{"entrys":[…]}`, an object with a member `abi`, or a list of
 * signatures as strings.
 * @throws {Failure} `bad_value`
 */
export function readInterface(text: string): ContractInterface {
	return interfaceOf(givenJson(text, "the interface is not JSON"));
}

/** The same from JSON. @throws {Failure} `bad_value` */
export function interfaceOf(json: Json): ContractInterface {
	const list = entriesOf(json);
	if (!list) throw new Failure("bad_value", "the JSON holds no list of functions");
	return list.map((entry) => {
		if (typeof entry === "string") return parseSignature(entry);
		if (!isRecord(entry))
			throw new Failure("bad_value", "the interface holds something that is not a function");
		return itemOf(entry);
	});
}

/** The list of entries in any of the accepted forms, as JSON; for a compiler's whole output, the entries of all its contracts. */
export function entriesOf(json: Json): readonly Json[] | undefined {
	if (Array.isArray(json)) return json as readonly Json[];
	if (!isRecord(json)) return undefined;
	const { abi, entrys } = json;
	if (isStandardOutput(json) || buildFile(json)?.output) return entriesOfAll(json);
	if (Array.isArray(entrys)) return entrys as readonly Json[];
	return abi === undefined ? undefined : entriesOf(abi);
}

/** The entries of all contracts of an output; what several contracts have in common is listed once. */
function entriesOfAll(json: JsonRecord): readonly Json[] {
	const entries = compiledContracts(json).flatMap((contract) =>
		contract.abi === undefined ? [] : (entriesOf(contract.abi) ?? []),
	);
	return [...new Map(entries.map((entry) => [writeJson(entry), entry])).values()];
}

function itemOf(entry: JsonRecord): AbiItem {
	const item = itemOfEntry(entry);
	if (item) return item;
	throw new Failure("bad_value", `the interface holds an entry of the unknown type ${String(entry["type"])}`);
}

/**
 * The item that a word refers to. A signature needs no interface, but takes parameter names and results from it if it has the
 * same signature; a name must be that of a single item.
 * @param given arguments as typed, whose number and form choose between overloads
 * @throws {Failure} `bad_value`, `ambiguous`
 */
export function findItem(
	items: ContractInterface,
	text: string,
	kind: AbiKind,
	given?: readonly string[],
): AbiItem {
	const ofKind = items.filter((item) => item.kind === kind);
	if (isSignature(text)) {
		const typed = parseSignature(text, kind);
		const known = ofKind.find((item) => hashedSignature(item) === hashedSignature(typed));
		if (!known) return typed;
		const named = typed.inputs.some(({ name }) => name !== "") ? typed.inputs : known.inputs;
		return { ...known, ...typed, inputs: kind === "event" ? known.inputs : named };
	}
	const called = ofKind.filter(({ name }) => name === text);
	const fitting = given && called.filter(({ inputs }) => inputs.length === given.length);
	const formed = fitting?.filter(({ inputs }) =>
		inputs.every(({ type }, at) => mayBe(type, given?.[at] ?? "")),
	);
	const found = formed?.length === 1 ? formed : fitting && fitting.length > 0 ? fitting : called;
	const [only, second] = found;
	if (!only) {
		const names = [...new Set(ofKind.map(({ name }) => name))].sort().join(", ");
		const why = names === "" ? `no ${kind} is known there` : `the ${kind}s are ${names}`;
		const near = nearest(
			text,
			ofKind.map(({ name }) => name),
		);
		throw new Failure("bad_value", `the interface has no ${kind} ${text}: ${why}`, {
			hint:
				near.length > 0
					? `did you mean ${[...new Set(near)].join(" or ")}?`
					: /^0x[0-9a-f]*$/i.test(text)
						? "--data <bytes> hands over bytes as they are, in place of the function"
						: `write the whole signature, such as ${text}(${(given ?? [""]).map(() => "uint256").join(",")})${given ? "; --as names the contract whose interface counts, such as the one behind a proxy that isn't recognised" : ""}`,
		});
	}
	if (second && given && fitting?.length === 0) {
		const counts = [...new Set(found.map(({ inputs }) => inputs.length))].sort((a, b) => a - b).join(" or ");
		throw new Failure("usage", `${text} takes ${counts} arguments, but got ${given.length}`, {
			hint: `there are ${found.map(hashedSignature).join(" and ")}`,
		});
	}
	if (second) {
		throw new Failure(
			"bad_value",
			`several ${kind}s are called ${text}: ${found.map(hashedSignature).join(", ")}`,
			{ hint: `write the whole signature, such as '${hashedSignature(only)}'` },
		);
	}
	if (!isComplete(only.inputs)) {
		throw new Failure("bad_value", `the interface doesn't say what the tuples of ${text} hold`, {
			hint: "the record of a contract doesn't keep that: give the compiler's interface with --abi",
		});
	}
	return only;
}

/** What values of types begin with, as they are typed; text may be anything, and any word may be the label of an account, but no number. */
const FORMS: readonly (readonly [type: RegExp, text: RegExp])[] = [
	[/\]$/, /^\[/],
	[/^tuple/, /^[[({]/],
	[/^u?int/, /^[-+.]?\d/],
	[/^bool$/, /^(true|false|[01])$/i],
	[/^bytes/, /^0x/i],
	[/^address$/, /^(?!-|\d{1,39}$)\S+$/],
];

/** Whether a text may be a value of a type; a text that gives the parameter's name always may. */
function mayBe(type: string, text: string): boolean {
	const form = FORMS.find(([of]) => of.test(type))?.[1];
	return form === undefined || /^\w+=/.test(text) || form.test(text.trim());
}

/** Finds the function or error that has a selector. */
export function itemBySelector(
	items: ContractInterface,
	selector: Uint8Array,
	kind: "function" | "error",
): AbiItem | undefined {
	return items.find(
		(item) => item.kind === kind && isComplete(item.inputs) && equalBytes(selectorOf(item), selector),
	);
}

/** The constructor; one without parameters if the interface has none. */
export function constructorOf(items: ContractInterface): AbiItem {
	return items.find(({ kind }) => kind === "constructor") ?? { kind: "constructor", name: "", inputs: [] };
}

/** The member at a path in a file of compiler output. */
export function artifactMember(json: Json, ...path: readonly string[]): Json | undefined {
	return path.reduce<Json | undefined>(
		(value, name) => (isRecord(value) ? member(value, name) : undefined),
		json,
	);
}
