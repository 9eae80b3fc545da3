import { once } from "node:events";
import { join } from "node:path";
import { Args, Flags } from "@oclif/core";
import { unlockAnyKey } from "../keystore/keystore.js";
import { forgetKey, type PrivateKey } from "../keystore/private-key.js";
import { checkLog } from "../keystore/signer/decision-log.js";
import { LOG_NAME, Signer } from "../keystore/signer/server.js";
import { command } from "../terminal/base/command-row.js";
import { keystoreFlags, passwordFlags } from "../terminal/flags/flags.js";
import { withPassword } from "../terminal/keys/secrets.js";
import { printLine } from "../terminal/output/output.js";
import { withProgress } from "../terminal/progress/progress.js";
import { interruption } from "../terminal/prompt/interrupt.js";
import { Failure } from "../wallet/failure.js";
import { openableKey } from "../wallet/transaction/signing.js";

const directory = Flags.string({
	description: "of the marks and the log; one signer at a time uses it",
	helpValue: "<directory>",
	required: true,
});

export const SignerServe = command({
	summary: "Hold the keys of witnesses for nodes, until interrupted",
	description:
		"Signs blocks, greetings and votes of nodes that have localwitness.signer = <socket>, and nothing else. The time of a " +
		"key's blocks only rises and their height doesn't fall: the mark is on the disk before a signature leaves, so a witness " +
		"never signs twice for a slot, whatever becomes of nodes and their clocks. The user and group of the socket reach it; keep it in " +
		"a directory that no one else enters. Each decision is a line of <directory>/decisions.log, with the hash of the one before.",
	usage: "signer serve <key>... --socket <path> --directory <directory>",
	examples: [
		"<%= config.bin %> signer serve witness --socket /run/coin/signer.sock --directory /var/lib/coin-signer",
	],
	strict: false,
	args: {
		key: Args.string({
			description: "key of the keystore; several can follow",
			required: true,
			ignoreStdin: true,
		}),
	},
	flags: {
		...keystoreFlags,
		...passwordFlags,
		socket: Flags.string({ description: "where nodes reach it", helpValue: "<path>", required: true }),
		directory,
	},
	run: async ({ argv, flags, settings: load, chatty, note, passwordSource }) => {
		if (process.platform === "win32") throw new Failure("not_served", "signers don't exist on this system");
		const settings = await load();
		const entries = await Promise.all(argv.map((name) => openableKey(settings, name)));
		const source = passwordSource(settings);
		const keys: PrivateKey[] = [];
		try {
			for (const entry of entries)
				keys.push(
					await withPassword(source, entry.name, (password) =>
						withProgress("opening the key", chatty, () => unlockAnyKey(entry, password)),
					),
				);
			const signer = await Signer.start({
				keys,
				directory: flags.directory,
				socketPath: flags.socket,
				now: Date.now,
				onDecision: chatty ? note : undefined,
			});
			printLine(flags.socket);
			const ended = interruption();
			if (!ended.aborted) await once(ended, "abort");
			await signer.close();
		} finally {
			for (const key of keys) forgetKey(key);
		}
	},
});

export const SignerLog = command({
	summary: "Check and print the decisions of a signer",
	description: "Ends with an error at the first line that isn't what was written.",
	examples: ["<%= config.bin %> signer log --directory /var/lib/coin-signer | tail -3"],
	flags: { directory },
	run: async ({ flags, note }) => {
		const count = await checkLog(join(flags.directory, LOG_NAME), printLine);
		note(`${count} decisions, each as it was written`);
	},
});
