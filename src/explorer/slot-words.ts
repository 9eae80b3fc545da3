/** Words of a transaction that may be keys of mappings which it changed. */

import { ADDRESS_FORMS } from "./address-text.js";
import { type Json, objectOf, objectsOf, textOf, textsOf } from "./answer.js";

/** Words that are tried. */
const MAX_WORDS = 40;

/** Who sent it, and the words of its call and of what was logged, 64 digits each. */
export function wordsOf(transaction: Json, info: Json): readonly string[] {
	const [contract = {}] = objectsOf(objectOf(transaction, "raw_data"), "contract");
	const value = objectOf(objectOf(contract, "parameter"), "value");
	const logs = objectsOf(info, "log");
	const words = [
		(ADDRESS_FORMS.read(textOf(value, "owner_address")) ?? "").padStart(64, "0"),
		...wordsIn(textOf(value, "data").slice(8)),
		...logs.flatMap((log) => textsOf(log, "topics").slice(1)),
		...logs.flatMap((log) => wordsIn(textOf(log, "data"))),
	];
	return [...new Set(words.filter((word) => /^[\da-f]{64}$/i.test(word)))].slice(0, MAX_WORDS);
}

function wordsIn(data: string): readonly string[] {
	return data.slice(0, MAX_WORDS * 64).match(/.{64}/g) ?? [];
}
