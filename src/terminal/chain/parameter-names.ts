/** Looks up chain parameters by the names that users type, in the node's own table (protocol/command-line §1.6). */

import { Failure } from "../../wallet/failure.js";
import { shorten } from "../../wallet/values/bytes-text.js";
import { parseInteger } from "../../wallet/values/integer-text.js";
import { nearest } from "../../wallet/values/suggestion.js";

/** Loads the table only when needed, which most commands never do. */
async function table(): Promise<typeof import("../../node/consensus/parameters.js")> {
	return import("../../node/consensus/parameters.js");
}

/**
 * Reads values written as `<name or id>=<value>`.
 * @returns values by number, in the order given
 * @throws {Failure} `bad_value` for an unknown name, or a value that no chain accepts
 */
export async function parseParameters(words: readonly string[]): Promise<ReadonlyMap<bigint, bigint>> {
	const { chainParameterNamed, chainParameters, valueRefusal } = await table();
	const values = new Map<bigint, bigint>();
	for (const word of words) {
		const match = /^([^=]+)=([^=]+)$/.exec(word);
		if (!match?.[1] || !match[2])
			throw new Failure("bad_value", `"${word}" is not a parameter: write <name or id>=<value>`);
		const parameter = chainParameterNamed(match[1]);
		if (parameter?.id === undefined) {
			const why = parameter ? "can't be proposed" : "is not a chain parameter";
			throw new Failure("bad_value", `"${shorten(match[1])}" ${why}`, {
				hint: meant(
					match[1],
					chainParameters.flatMap(({ id, name, getter }) => (id === undefined ? [] : [name, getter])),
				),
			});
		}
		const value = parseInteger(match[2]);
		const refusal = valueRefusal(parameter, value);
		if (refusal !== undefined)
			throw new Failure("bad_value", `${parameter.name} = ${value}: ${refusal}`, {
				details: { id: parameter.id },
			});
		if (values.has(parameter.id)) throw new Failure("bad_value", `${parameter.name} is named twice`);
		values.set(parameter.id, value);
	}
	return values;
}

/** Suggests what a name may have meant, in any case, with or without `get`. */
function meant(text: string, names: readonly string[]): string {
	const forms = new Map(
		names.flatMap((name) => [name, name.replace(/^get/, "")]).map((name) => [name.toLowerCase(), name]),
	);
	const [near] = nearest(text.toLowerCase(), [...forms.keys()]);
	return near === undefined ? "coin chain params lists them" : `did you mean ${forms.get(near)}?`;
}

/** Description of each parameter, by its name in messages. */
export async function parameterNotes(): Promise<Readonly<Record<string, string>>> {
	return (await import("../../node/consensus/parameter-notes.js")).PARAMETER_NOTES;
}

/** Names by number, for printing. */
export async function parameterNames(): Promise<(id: bigint) => string | undefined> {
	const { chainParameter } = await table();
	return (id) => (chainParameter(id) ?? chainParameter(id, "nile"))?.name;
}

/** A parameter as reported by a node, with its data from the table. */
interface ReportedParameter {
	/** Its number in proposals; absent if it is only reported, or belongs to a newer node. */
	readonly id?: bigint | undefined;
	readonly name: string;
	readonly value: bigint;
	/** Description; absent for parameters of newer nodes. */
	readonly about?: string | undefined;
}

/**
 * Selects parameters from a node's report.
 * @param reported values by wire name, in the node's order
 * @param wanted names or numbers; if empty, all
 * @throws {Failure} `not_found` for one that the node doesn't report
 */
export async function pickParameters(
	reported: ReadonlyMap<string, bigint>,
	wanted: readonly string[],
): Promise<ReportedParameter[]> {
	const { chainParameterNamed } = await table();
	const notes = await parameterNotes();
	const rows = [...reported].map(([name, value]) => {
		const known = chainParameterNamed(name);
		return { id: known?.id, name, value, about: known && notes[known.name] };
	});
	if (wanted.length === 0) return rows;
	return wanted.map((text) => {
		const getter = chainParameterNamed(text)?.getter.toLowerCase();
		const names = [getter, text.toLowerCase(), `get${text.toLowerCase()}`];
		const found = rows.find(({ name }) => names.includes(name.toLowerCase()));
		if (found) return found;
		const known = rows.flatMap(({ name }) => [name, chainParameterNamed(name)?.name ?? name]);
		throw new Failure("not_found", `the chain has no parameter "${shorten(text)}"`, {
			hint: meant(text, known),
		});
	});
}
