/** Exports secrets: after confirmation, to standard output or a new file that only its owner can read. */

import { Flags } from "@oclif/core";
import { writePrivateFile } from "../../keystore/private-file.js";
import { Failure } from "../../wallet/failure.js";
import { keystoreFlags, passwordFlags } from "../flags/flags.js";
import { confirmPrintedSecret } from "../keys/secrets.js";
import { canAsk } from "../prompt/controlling-terminal.js";
import { askYesNo } from "../prompt/prompts.js";
import type { Terminal } from "./command-row.js";

/** Flags of every export. */
export const exportFlags = {
	...keystoreFlags,
	...passwordFlags,
	out: Flags.string({ description: "new file to write (mode 0600)", helpValue: "<path>" }),
	yes: Flags.boolean({ char: "y", description: "don't ask" }),
};

/** Asks before a secret leaves the keystore. @throws {Failure} `confirmation_needed`, `confirmation_refused` */
export async function confirmExport(
	what: string,
	yes: boolean,
	means = "Whoever reads it owns the account.",
): Promise<void> {
	if (yes) return;
	if (!canAsk())
		throw new Failure("confirmation_needed", `exporting ${what} needs --yes without a terminal to ask on`);
	if (!(await askYesNo(`Export ${what}? ${means}`))) {
		throw new Failure("confirmation_refused", `${what} was not exported`);
	}
}

/** Writes a secret to a new file, or to standard output. */
export async function deliver(
	{ print }: Pick<Terminal, "print">,
	secret: string,
	what: string,
	out: string | undefined,
): Promise<void> {
	if (out !== undefined) {
		await writePrivateFile(out, `${secret}\n`);
		return print.record({ file: out });
	}
	await confirmPrintedSecret(what);
	print.scalar(secret);
}
