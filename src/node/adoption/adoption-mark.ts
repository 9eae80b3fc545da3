/** Progress of an adoption, written with every batch, so that a second run can resume. */

import { fromUtf8, utf8 } from "../../protocol/bytes.js";
import { ADOPTION_KEY } from "../chain/data-directory.js";
import type { BatchChange, KeyValueDatabase } from "../state/database.js";
import { AdoptionError } from "./adoption-error.js";

/** What happens to old blocks and their receipts. */
export type BlockChoice = "copy" | "none";

export interface AdoptionMark {
	readonly format: 1;
	/** The source that was read: a changed one can't be resumed. */
	readonly path: string;
	readonly fingerprint: string;
	readonly blocks: BlockChoice;
	/** Name of the current step; all before it are done. */
	readonly step: string;
	/** Key up to which the step is done, in hexadecimal; empty: not started. */
	readonly after: string;
	readonly entries: number;
	readonly bytes: number;
	/** Rows of `trans` without a height. */
	readonly withoutHeight: number;
	/** Sums over the accounts read so far, in decimal. */
	readonly sums?: readonly string[];
}

/** @throws {AdoptionError} if it isn't readable */
export function readMark(database: KeyValueDatabase, directory: string): AdoptionMark | undefined {
	const bytes = database.get(ADOPTION_KEY);
	if (!bytes) return undefined;
	try {
		const mark = JSON.parse(fromUtf8(bytes)) as AdoptionMark;
		if (mark.format === 1) return mark;
	} catch {
		// Treat it like another format.
	}
	throw new AdoptionError(
		`the adoption in ${directory} was begun by another release; delete the directory and begin anew`,
	);
}

export function markChange(mark: AdoptionMark): BatchChange {
	return { key: ADOPTION_KEY, value: utf8(JSON.stringify(mark)) };
}

/** The batch change that completes an adoption. */
export const NO_MARK: BatchChange = { key: ADOPTION_KEY, value: null };

/** @throws {AdoptionError} if the mark is of another source or another choice */
export function checkMark(
	mark: AdoptionMark,
	source: { readonly path: string; readonly fingerprint: string },
	blocks: BlockChoice,
	directory: string,
): void {
	const begun = `the adoption in ${directory} was begun`;
	if (mark.path !== source.path) {
		throw new AdoptionError(
			`${begun} from ${mark.path}; go on with that, or delete the directory and begin anew`,
		);
	}
	if (mark.fingerprint !== source.fingerprint) {
		throw new AdoptionError(
			`${begun} when the files in ${source.path} were others; delete the directory and begin anew`,
		);
	}
	if (mark.blocks !== blocks) {
		throw new AdoptionError(
			`${begun} with --blocks ${mark.blocks}; go on with that, or delete the directory`,
		);
	}
}
