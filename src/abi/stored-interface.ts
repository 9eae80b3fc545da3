/** What is read of an interface that is stored with a contract: whoever deploys the contract writes it. */

/** Further entries are not looked at. */
export const MAX_ENTRIES = 2_000;
const MAX_INPUTS = 64;
/** Characters of a name or type. */
const MAX_NAME = 256;

interface StoredEntry {
	readonly name: string;
	readonly inputs: readonly { readonly name: string; readonly type: string }[];
}

/** Whether an entry is small enough to read logs by it. */
export function isSmallEntry({ name, inputs }: StoredEntry): boolean {
	if (name.length > MAX_NAME || inputs.length > MAX_INPUTS) return false;
	return inputs.every((input) => input.name.length <= MAX_NAME && input.type.length <= MAX_NAME);
}
