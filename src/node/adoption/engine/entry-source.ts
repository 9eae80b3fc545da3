/** Something that has entries in order: a chain of tables, or the logs. */
export interface EntrySource {
	/** Which of two entries with the same key and sequence number is newer: the one with the lower rank. */
	readonly rank: number;
	/** Buffer whose first `keyLength` bytes are the key of the present entry. */
	readonly key: Uint8Array;
	readonly keyLength: number;
	readonly sequence: number;
	/** Whether the present entry says that there is none. */
	readonly isDeletion: boolean;
	/** Value of the present entry; valid until the next step. */
	value(): Uint8Array;
	/** Goes to the first entry, then the next: by key, of one key the newest first. @returns false at the end */
	next(): boolean;
	close(): void;
}

/** Types of entries that reference nodes write. */
export const DELETION = 0;
export const VALUE = 1;
export const SINGLE_DELETION = 7;

/** What other types of entries are, for the message that refuses them. */
export function refusedType(type: number): string {
	if (type === 2 || type === 6) return "a merge operand";
	if (type === 14 || type === 15) return "a deletion of a range";
	if (type === 17) return "a value in a blob file";
	return `of type ${type}`;
}
