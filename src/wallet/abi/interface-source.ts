/** Writes a contract's interface as source code: a Solidity interface, or a TypeScript constant that types are inferred from. */

import { type AbiItem, type AbiParameter, arrayParts, type ContractInterface } from "../../abi/parameter.js";
import { spell } from "../../protocol/dialect.js";
import { Failure } from "../failure.js";
import { type Json, writeJson } from "../json.js";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const TYPE = /^[A-Za-z]\w*$/;
/** Matches a compiler's `internalType` of a struct; captures the name without where it is declared. */
const STRUCT = /^struct (?:[\w$.]+\.)?([A-Za-z_$][\w$]*)(?:\[\d*\])*$/;
/** Types for which Solidity requires a data location. */
const BY_REFERENCE = /^(string|bytes)$/;

/** Turns any text into an identifier: a deployed contract may have any name. */
export function identifierOf(text: string, otherwise: string): string {
	const letters = text.replace(/[^\w$]/g, "").replace(/^\d+/, "");
	return letters === "" ? otherwise : letters;
}

/**
 * An interface for Solidity 0.8.4 or later, with a struct for each tuple.
 * @param name of the interface, an identifier
 * @throws {Failure} `bad_value` where the interface doesn't say what tuples hold, or has names that Solidity can't have
 */
export function soliditySource(name: string, items: ContractInterface): string {
	const structs = new Map<string, { readonly name: string; readonly text: string }>();

	const typeOf = (parameter: AbiParameter): string => {
		const array = arrayParts(parameter);
		if (array) return `${typeOf(array.element)}[${array.length ?? ""}]`;
		if (parameter.type !== "tuple") return checked(spell(parameter.type, "deployed"), TYPE);
		const { components } = parameter;
		if (!components)
			throw new Failure("bad_value", "the interface doesn't say what its tuples hold", {
				hint: "--abi with the compiler's interface does",
			});
		const members = components.map(
			(member, index) => `        ${typeOf(member)} ${nameOf(member, `member${index}`)};`,
		);
		const text = members.join("\n");
		const called = STRUCT.exec(parameter.internalType ?? "")?.[1];
		const taken = [...structs.values()].some((struct) => struct.name === called && struct.text !== text);
		const struct = called === undefined || taken ? `Tuple${structs.size + 1}` : called;
		const key = called === undefined || taken ? text : `${called} ${text}`;
		const known = structs.get(key) ?? { name: struct, text };
		structs.set(key, known);
		return known.name;
	};
	const placed =
		(place: string) =>
		(parameter: AbiParameter): string => {
			const isReference =
				parameter.components !== undefined || arrayParts(parameter) || BY_REFERENCE.test(parameter.type);
			return [
				typeOf(parameter),
				...(isReference ? [place] : []),
				...(parameter.name === "" ? [] : [nameOf(parameter, "")]),
			].join(" ");
		};
	const bare = (parameter: AbiParameter): string =>
		[
			typeOf(parameter),
			...(parameter.indexed ? ["indexed"] : []),
			...(parameter.name === "" ? [] : [nameOf(parameter, "")]),
		].join(" ");

	const line = (item: AbiItem): string => {
		const called = checked(item.name, IDENTIFIER);
		if (item.kind !== "function")
			return `    ${item.kind} ${called}(${item.inputs.map(bare).join(", ")})${item.anonymous ? " anonymous" : ""};`;
		const words = [`    function ${called}(${item.inputs.map(placed("calldata")).join(", ")}) external`];
		if (item.mutability !== undefined && item.mutability !== "nonpayable")
			words.push(checked(item.mutability, TYPE));
		const outputs = item.outputs ?? [];
		if (outputs.length > 0) words.push(`returns (${outputs.map(placed("memory")).join(", ")})`);
		return `${words.join(" ")};`;
	};
	const kinds = ["error", "event", "function"] as const;
	const groups = kinds.map((kind) => items.filter((item) => item.kind === kind).map(line));
	const declared = [...structs.values()].map(
		(struct) => `    struct ${struct.name} {\n${struct.text}\n    }`,
	);
	const body = [...declared, ...groups.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"))];
	return `pragma solidity >=0.8.4;\n\ninterface ${name} {\n${body.join("\n\n")}\n}`;
}

function nameOf({ name }: AbiParameter, otherwise: string): string {
	return name === "" ? otherwise : checked(name, IDENTIFIER);
}

function checked(text: string, form: RegExp): string {
	if (form.test(text)) return text;
	throw new Failure(
		"bad_value",
		`the interface has the name ${JSON.stringify(text.slice(0, 40))}, which Solidity can't have`,
	);
}

/** A TypeScript constant. @param entries as compilers write them */
export function typescriptSource(name: string, entries: readonly Json[]): string {
	const lines = entries.map((entry) => `\t${writeJson(entry)},`);
	return `export const ${name} = [\n${lines.join("\n")}\n] as const;`;
}
