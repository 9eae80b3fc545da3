/** Parses interfaces as written by compilers and nodes. Stored ones come from untrusted deployers. */

import { toNeutral } from "../protocol/dialect.js";
import { ABI_KINDS, type AbiItem, type AbiParameter } from "./parameter.js";

/** Further entries are ignored. */
export const MAX_ENTRIES = 2_000;
const MAX_INPUTS = 64;
/** Maximum length of a name or type. */
const MAX_NAME = 256;

interface StoredEntry {
	readonly name: string;
	readonly inputs: readonly { readonly name: string; readonly type: string }[];
}

/** Whether an entry is small enough to decode logs with. */
export function isSmallEntry({ name, inputs }: StoredEntry): boolean {
	if (name.length > MAX_NAME || inputs.length > MAX_INPUTS) return false;
	return inputs.every((input) => input.name.length <= MAX_NAME && input.type.length <= MAX_NAME);
}

type Entry = Readonly<Record<string, unknown>>;

/** Maximum nesting of tuples whose members are read. */
const DEEPEST_TUPLE = 24;

/** Parses a JSON entry; undefined if its type is unknown. */
export function itemOfEntry(entry: Entry): AbiItem | undefined {
	const { type, name, inputs, outputs, stateMutability, constant, payable, anonymous } = entry;
	const typed = String(type ?? "function").toLowerCase();
	const kind = ABI_KINDS.find((known) => known === typed);
	if (!kind) return undefined;
	const mutability =
		typeof stateMutability === "string"
			? stateMutability.toLowerCase()
			: constant === true
				? "view"
				: payable === true
					? "payable"
					: undefined;
	return {
		kind,
		name: typeof name === "string" ? name : "",
		inputs: parametersOf(inputs),
		...(kind === "function" ? { outputs: parametersOf(outputs) } : {}),
		...(mutability === undefined ? {} : { mutability }),
		...(anonymous === true ? { anonymous: true } : {}),
	};
}

function parametersOf(json: unknown, depth = 0): AbiParameter[] {
	if (!Array.isArray(json)) return [];
	return json.filter(isEntry).map((parameter) => {
		const { name, type, components, indexed, internalType } = parameter;
		const typeText = toNeutral(String(type ?? ""));
		return {
			name: typeof name === "string" ? name : "",
			type: typeText,
			...(typeText.startsWith("tuple") && Array.isArray(components) && depth < DEEPEST_TUPLE
				? {
						components: parametersOf(components, depth + 1),
						...(typeof internalType === "string" ? { internalType } : {}),
					}
				: {}),
			...(indexed === true ? { indexed: true } : {}),
		};
	});
}

const isEntry = (value: unknown): value is Entry =>
	typeof value === "object" && value !== null && !Array.isArray(value);
