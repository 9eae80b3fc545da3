/** Keeps what may be a key or a mnemonic, given as an argument by mistake, out of the message about it (protocol/command-line §3.1). */

import type { Failure, FailureCode } from "../../wallet/failure.js";

const HIDDEN = "(not shown: it may be a secret, and a secret is never an argument)";

/** Where a name or an address is expected, 64 hexadecimal digits are a key and not an id; keys of some schemes have thousands. */
const NAMES: ReadonlySet<FailureCode> = new Set([
	"usage",
	"bad_address",
	"wallet_not_found",
	"not_found",
	"ambiguous",
]);

/** Flags whose value is declared as a block or transaction. */
const ID_FLAGS: ReadonlySet<string> = new Set([
	"--block",
	"--from-block",
	"--to-block",
	"--ref-block",
	"--create",
]);

/**
 * The refusal without words of the command line that may be secrets.
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
	const onKeys =
		command.startsWith("keystore") || command.startsWith("wallet") || command.startsWith("contact");
	let { message } = failure;
	if (command.startsWith("keystore") && failure.code === "usage") {
		message = message.replace(/^(Unexpected arguments?:).*/s, `$1 ${HIDDEN}`);
	}
	for (const [index, word] of words.entries()) {
		if (takesIds || isIdFlag(word, words[index - 1])) continue;
		if (!onKeys && !NAMES.has(failure.code)) break;
		for (const part of word.match(/(0x)?[0-9a-f]{64,}/gi) ?? []) {
			if (isId(failure, message, part)) continue;
			message = message.replaceAll(part, HIDDEN).replaceAll(part.toLowerCase(), HIDDEN);
		}
	}
	return message === failure.message ? failure : failure.saying(message);
}

function isIdFlag(word: string, before: string | undefined): boolean {
	const [flag = "", value] = word.split("=");
	return value === undefined ? before !== undefined && ID_FLAGS.has(before) : ID_FLAGS.has(flag);
}

/** Ids of transactions and blocks are not secrets, and whoever looks for one wants to read it. */
function isId({ code, facts }: Failure, message: string, part: string): boolean {
	return facts.txID === part.toLowerCase() || (code === "not_found" && /transaction|block/.test(message));
}
