/** Removes from error messages what may be a key or mnemonic that was given as an argument by mistake (protocol/command-line §3.1). */

import { SENTENCE_WORDS } from "../../keystore/label.js";
import type { Failure, FailureCode } from "../../wallet/failure.js";

export const HIDDEN = "(not shown: it may be a secret, and a secret is never an argument)";

const IMPORT_HINT =
	"coin keystore import asks for a private key or a mnemonic; the shell's history may have this one";

/** Failures where a name or an address is expected, so that 64 hexadecimal digits are a key rather than an id; some keys have thousands. */
const NAMES: ReadonlySet<FailureCode> = new Set([
	"usage",
	"bad_address",
	"wallet_not_found",
	"not_found",
	"ambiguous",
	"amount_unit",
	"conflicting_flags",
]);

/** Flags whose value is a block or transaction. */
const ID_FLAGS: ReadonlySet<string> = new Set([
	"--block",
	"--from-block",
	"--to-block",
	"--ref-block",
	"--create",
]);

/** Removes secrets from the texts of a failure. */
type Hide = (text: string) => string;

/**
 * Removes words of the command line that may be secrets from a failure's message, hint and details.
 * @param command its id, such as `keystore:import:key`
 * @param words the command line as typed
 * @param takesIds whether its arguments are declared as ids of blocks, transactions or orders
 */
export function withoutArgumentSecrets(
	failure: Failure,
	command: string,
	words: readonly string[],
	takesIds = false,
): Failure {
	const hide = hiding(failure, command, words, takesIds);
	const { hint, details, node } = failure.facts;
	const message = hide(failure.message);
	const hidden = message === failure.message ? failure : failure.saying(message);
	return hidden.with({
		// If the hint contained the secret, its advice can't be right, so it is replaced.
		...(hint === undefined ? {} : { hint: hide(hint) === hint ? hint : IMPORT_HINT }),
		...(details === undefined ? {} : { details: hiddenIn(details, hide) as typeof details }),
		...(node === undefined ? {} : { node: { ...node, message: hide(node.message) } }),
	});
}

function hiding(failure: Failure, command: string, words: readonly string[], takesIds: boolean): Hide {
	const onKeys = /^(keystore|wallet|contact)/.test(command);
	const parts = new Set<string>();
	const hasSentence = words.filter((word) => /^[a-z]{3,8}$/.test(word)).length >= SENTENCE_WORDS;
	for (const [index, word] of words.entries()) {
		if (/^\s*([a-z]{3,8}\s+){11,}[a-z]{3,8}\s*$/i.test(word)) parts.add(word);
		if (takesIds || isIdFlag(word, words[index - 1])) continue;
		if (!onKeys && !NAMES.has(failure.code)) continue;
		for (const part of word.match(/(0x)?[0-9a-f]{64,}/gi) ?? [])
			if (!isId(failure, failure.message, part)) parts.add(part).add(part.toLowerCase());
	}
	const hidesRest = failure.code === "usage" && (hasSentence || command.startsWith("keystore"));
	return (text) => {
		const rest = hidesRest ? text.replace(/^(Unexpected arguments?:).*/s, `$1 ${HIDDEN}`) : text;
		return [...parts].reduce((shown, part) => shown.replaceAll(part, HIDDEN), rest);
	};
}

function hiddenIn(value: unknown, hide: Hide): unknown {
	if (typeof value === "string") return hide(value);
	if (Array.isArray(value)) return value.map((item) => hiddenIn(item, hide));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hiddenIn(item, hide)]));
}

function isIdFlag(word: string, before: string | undefined): boolean {
	const [flag = "", value] = word.split("=");
	return value === undefined ? before !== undefined && ID_FLAGS.has(before) : ID_FLAGS.has(flag);
}

/**
 * Whether a part of a message is the id of a transaction or block, which isn't secret and should be shown; what waits for an approval
 * was read as a transaction, whose bytes have to be given again.
 */
function isId({ code, facts }: Failure, message: string, part: string): boolean {
	if (code === "approval_pending") return true;
	return facts.txID === part.toLowerCase() || (code === "not_found" && /transaction|block/.test(message));
}
