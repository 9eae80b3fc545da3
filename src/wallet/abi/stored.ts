/** A compiler's interface as the record of a contract keeps it (protocol/http-endpoints §1.5): entries without the parts of tuples. */

import {
	SmartContractABI,
	SmartContractABIEntry,
	SmartContractABIEntryEntryType,
	SmartContractABIEntryParam,
	SmartContractABIEntryStateMutabilityType,
} from "../../protocol/messages.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member } from "../json.js";
import { entriesOf } from "./interface.js";

/** @param json any form of an interface @throws {Failure} `bad_value` */
export function storedAbi(json: Json): SmartContractABI {
	const entries = entriesOf(json);
	if (!entries) throw new Failure("bad_value", "the interface is not a list of functions");
	return SmartContractABI.create({ entrys: entries.filter(isRecord).map(entryOf) });
}

function entryOf(entry: JsonRecord): SmartContractABIEntry {
	const { name, anonymous, constant, payable, inputs, outputs } = entry;
	return SmartContractABIEntry.create({
		type: numberOf(SmartContractABIEntryEntryType, member(entry, "type") ?? "function"),
		name: typeof name === "string" ? name : "",
		anonymous: anonymous === true,
		constant: constant === true,
		payable: payable === true,
		inputs: parametersOf(inputs),
		outputs: parametersOf(outputs),
		stateMutability: numberOf(SmartContractABIEntryStateMutabilityType, member(entry, "stateMutability")),
	});
}

/** Compilers write these names in lower case. */
function numberOf(values: Readonly<Record<string, number>>, name: Json | undefined): number {
	if (name === undefined || name === null) return 0;
	const wanted = String(name).toLowerCase();
	const found = Object.entries(values).find(([known]) => known.toLowerCase() === wanted);
	if (!found) throw new Failure("bad_value", `the interface holds the unknown word ${String(name)}`);
	return found[1];
}

function parametersOf(json: Json | undefined): SmartContractABIEntryParam[] {
	if (!Array.isArray(json)) return [];
	return json.filter(isRecord).map(({ name, type, indexed }) =>
		SmartContractABIEntryParam.create({
			name: typeof name === "string" ? name : "",
			type: typeof type === "string" ? type : "",
			indexed: indexed === true,
		}),
	);
}
