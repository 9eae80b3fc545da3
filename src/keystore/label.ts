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

/** Letters and signs that look like another one, which follows each group: a Latin letter, or one of Kana for those of Han. */
const LOOK_ALIKE: readonly (readonly [letters: string, latin: string])[] = [
	["аα", "a"],
	["вβь", "b"],
	["сϲ", "c"],
	["ԁ", "d"],
	["еε", "e"],
	["ɡց", "g"],
	["һнհ", "h"],
	["1іιıӏl|լ丨\u1175", "i"],
	["јյ", "j"],
	["кκĸ", "k"],
	["м", "m"],
	["ηո", "n"],
	["0оοօ〇\u110b", "o"],
	["рρ", "p"],
	["զԛ", "q"],
	["ѕ", "s"],
	["тτ", "t"],
	["υս", "u"],
	["ν", "v"],
	["ԝ", "w"],
	["хχ", "x"],
	["уγ", "y"],
	["’", "'"],
	["₵", "¢"],
	["一ー", "-"],
	["力", "カ"],
	["口囗", "ロ"],
	["二", "ニ"],
	["八", "ハ"],
	["工", "エ"],
	["夕", "タ"],
	["卜", "ト"],
	["へ", "ヘ"],
	["り", "リ"],
	["才", "オ"],
	["千", "チ"],
	["厶", "ム"],
	["彐", "ヨ"],
	["丿", "ノ"],
];
const PLAIN: ReadonlyMap<string, string> = new Map(
	LOOK_ALIKE.flatMap(([letters, latin]) => [...letters].map((letter) => [letter, latin] as const)),
);

/** Signs beyond ASCII that keyboards have. Other signs of currencies look like one of these, or are letters to most readers. */
const SIGNS = "’№¢£¥₩₪₫€₭₮₱₲₴₵₸₹₺₼₽₾₿";

/** Latin letters of living languages; not those of phonetic or mathematical notation, most of which look like another one. */
const LATIN_LETTERS = String.raw`(?![\u0184\u0185\u0196\u01a6-\u01a8\u01bb-\u01c3\u0237])(?=\p{Script=Latin})[A-Za-z\u00aa-\u024f\u0253\u0254\u0256\u0257\u0259\u025b\u0263\u0269\u0272\u028b\u1e00-\u1eff]`;
/** Scripts that are written together, after UTS #39's "highly restrictive" level. */
const WITH_LATIN = ["Han Hiragana Katakana", "Han Hangul", "Han Bopomofo"];
/** The other recommended scripts of UAX #31; further ones have few readers, and letters that look Latin. */
const ALONE =
	"Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao " +
	"Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan";

/** Matches a label in an alphabet, with the digits and signs of ASCII, {@link SIGNS}, and accents. @param scripts separated by blanks */
function alphabet(scripts: string, latin = ""): RegExp {
	const letters = scripts.split(" ").map((script) => `\\p{Script_Extensions=${script}}`);
	return new RegExp(`^(?:[ -@[-\`{-~${SIGNS}\\p{Script=Inherited}${letters.join("")}]${latin})*$`, "u");
}
/** Made for the first new label: most commands have none. */
let alphabets: readonly RegExp[] | undefined;

/**
 * Why a label's characters could be mistaken for others, as a clause; undefined for letters of one alphabet. For new labels:
 * those that exist stay valid.
 */
export function mistakable(label: string): string | undefined {
	const isInvisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/u.test(label);
	alphabets ??= [
		...WITH_LATIN.map((scripts) => alphabet(scripts, `|${LATIN_LETTERS}`)),
		...ALONE.split(" ").map((script) => alphabet(script)),
	];
	if (!isInvisible && alphabets.some((one) => one.test(label))) return undefined;
	const other = [...label].find((sign) => !alphabets?.some((one) => one.test(sign)));
	const which =
		other === undefined
			? ""
			: ` (U+${(other.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")})`;
	return `has characters that can be mistaken for others${which}: use letters of one alphabet, and digits and signs of the keyboard`;
}

/** Whether one label could be mistaken for the other: ignores case, accents and letters that look alike. */
export function looksAlike(one: string, other: string): boolean {
	return appearance(one) === appearance(other);
}

/** Whether labels are the same text, however its accents are encoded: keyboards compose them, and file names of macOS don't. */
export function sameLabel(one: string, other: string): boolean {
	return one.normalize() === other.normalize();
}

/** A normal form that is equal for labels that look alike. */
export function appearance(label: string): string {
	const plain = label
		.normalize("NFKD")
		.replace(/[\p{M}\p{Cf}]/gu, "")
		.toLowerCase();
	return [...plain].map((letter) => PLAIN.get(letter) ?? letter).join("");
}

/** Words of amounts. */
const AMOUNT_WORDS = ["coin", "sun", "max"];

/** Whether a label has, or seems to have, another meaning where an amount, a token or an account is given. */
export function hasOtherMeaning(label: string): boolean {
	return /^(\d+|ledger(:.*)?)$/i.test(label) || AMOUNT_WORDS.some((word) => looksAlike(word, label));
}

const KEY_LABEL = new RegExp(`^[\\p{L}\\p{N}_${SIGNS}][\\p{L}\\p{N}_${SIGNS}. -]{0,63}$`, "u");

/** Checks that a label doesn't look like an address, a path, a flag or a secret. @throws {KeystoreError} `bad_value` */
export function checkLabel(name: string): void {
	if (looksSecret(name)) throw new KeystoreError("bad_value", SECRET_LABEL);
	if (!KEY_LABEL.test(name)) {
		throw new KeystoreError(
			"bad_value",
			`"${name}" is not a name for a key: use up to 64 letters, digits, blanks, dots and dashes`,
		);
	}
	const mistaken = mistakable(name);
	if (mistaken !== undefined) throw new KeystoreError("bad_value", `"${name}" ${mistaken}`);
	if (hasOtherMeaning(name))
		throw new KeystoreError("bad_value", `"${name}" means something else already and can't be a name`);
	if (/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(name) || /^(0x)?[0-9a-fA-F]{40,42}$/.test(name)) {
		throw new KeystoreError("bad_value", `"${name}" looks like an address and can't be a name`);
	}
}
