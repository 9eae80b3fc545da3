/** Labels of keys: short, and not to be mistaken for an address, a path, a flag or a secret. */

import { KeystoreError } from "./keystore-error.js";

/** Number of words of the shortest mnemonic. */
export const SENTENCE_WORDS = 12;

/** Message for a label that looks like a secret; doesn't repeat it. */
export const SECRET_LABEL =
	"that name looks like a private key or a mnemonic; a secret is never an argument, and this one may stand in the shell's history now";

/** Matches a private key, possibly within other text; keys of some schemes have thousands of digits. */
const SECRET_DIGITS = /[0-9a-f]{64}/i;

/** Whether a text may be a private key or a mnemonic, since labels are stored and shown in clear text. */
export function looksSecret(text: string): boolean {
	return SECRET_DIGITS.test(text) || text.trim().split(/\s+/).length >= SENTENCE_WORDS;
}

/** Letters of other scripts, and digits, that look like a Latin letter; each group is followed by that letter. */
const LOOK_ALIKE: readonly (readonly [letters: string, latin: string])[] = [
	["аα", "a"],
	["вβь", "b"],
	["сϲ", "c"],
	["ԁ", "d"],
	["еε", "e"],
	["ɡ", "g"],
	["һн", "h"],
	["1іιıӏl|", "i"],
	["ј", "j"],
	["кκ", "k"],
	["м", "m"],
	["η", "n"],
	["0оο", "o"],
	["рρ", "p"],
	["ѕ", "s"],
	["тτ", "t"],
	["υ", "u"],
	["ν", "v"],
	["хχ", "x"],
	["уγ", "y"],
];
const LATIN: ReadonlyMap<string, string> = new Map(
	LOOK_ALIKE.flatMap(([letters, latin]) => [...letters].map((letter) => [letter, latin] as const)),
);

/** Whether one label could be mistaken for the other: ignores case, accents and letters that look alike. */
export function looksAlike(one: string, other: string): boolean {
	return appearance(one) === appearance(other);
}

/** A normal form that is equal for labels that look alike. */
export function appearance(label: string): string {
	const plain = label
		.normalize("NFKD")
		.replace(/[\p{M}\p{Cf}]/gu, "")
		.toLowerCase();
	return [...plain].map((letter) => LATIN.get(letter) ?? letter).join("");
}

/** Whether a label has another meaning where an amount, a token or an account is given. */
export function hasOtherMeaning(label: string): boolean {
	return /^(\d+|coin|sun|max|ledger(:.*)?)$/i.test(label);
}

/** Checks that a label doesn't look like an address, a path, a flag or a secret. @throws {KeystoreError} `bad_value` */
export function checkLabel(name: string): void {
	if (looksSecret(name)) throw new KeystoreError("bad_value", SECRET_LABEL);
	if (!/^[\p{L}\p{N}_][\p{L}\p{N}_. -]{0,63}$/u.test(name)) {
		throw new KeystoreError(
			"bad_value",
			`"${name}" is not a name for a key: use up to 64 letters, digits, blanks, dots and dashes`,
		);
	}
	if (hasOtherMeaning(name))
		throw new KeystoreError("bad_value", `"${name}" means something else already and can't be a name`);
	if (/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(name) || /^(0x)?[0-9a-fA-F]{40,42}$/.test(name)) {
		throw new KeystoreError("bad_value", `"${name}" looks like an address and can't be a name`);
	}
}
