/** `coin console`: a JavaScript prompt with the user's keys, contacts and contracts. */

import { join } from "node:path";
import { Flags } from "@oclif/core";
import { createPrivateDirectory } from "../keystore/private-file.js";
import {
	besidePrompt,
	type ConsoleTerminal,
	runPrompt,
	runScript,
} from "../terminal/console/console-prompt.js";
import type { ConsoleChain, Perform } from "../terminal/console/contract-object.js";
import { consoleNames } from "../terminal/console/names.js";
import { Operations } from "../terminal/console/operations.js";
import { type ActingFlags, actingFlags, trustFlag } from "../terminal/flags/acting-flags.js";
import { keystoreFlags, nodeFlags, passwordFlags } from "../terminal/flags/flags.js";
import { printText } from "../terminal/output/output.js";
import { onlyRefusing } from "../terminal/prompt/interrupt.js";
import { act, actorOf } from "../terminal/sending/act.js";
import { sending } from "../terminal/sending/rows.js";
import { dataDirectory } from "../wallet/configuration/settings.js";
import { NodeClient } from "../wallet/node/node-client.js";
import type { ActingResult } from "../wallet/transaction/acting-result.js";

const { yes, from, permission, signer, "wait-timeout": waitTimeout } = actingFlags;
const { "trust-node": trustNode } = trustFlag;

export const Console = sending({
	outputKind: "acts",
	summary: "A prompt of JavaScript with your keys, contacts and contracts",
	description:
		"Every label is an object, and every function of a contract a method: reading ones answer, the others are shown, signed and " +
		'sent; new contracts come from coin contract deploy, and await contract("T…") takes them up. Inside a statement write await: if (await vault.paused()) …. Type help for the rest. A script from standard input runs statement by statement and ends at the first that fails. ' +
		"A key that was opened stays open until the console ends.",
	examples: [
		"<%= config.bin %> console",
		"echo 'balance(\"alice\")' | <%= config.bin %> console",
		"echo 'send(\"alice\", 5coin)' | <%= config.bin %> console --yes",
	],
	flags: {
		...nodeFlags,
		...keystoreFlags,
		...passwordFlags,
		yes,
		from,
		signer,
		permission,
		"trust-node": trustNode,
		"wait-timeout": waitTimeout,
		history: Flags.boolean({
			description: "keep the lines that are typed, for the next time",
			default: true,
			allowNo: true,
		}),
	},
	run: async ({ flags, session, ...context }) => {
		const settings = await context.settings();
		const isPrompt = process.stdin.isTTY === true;
		const directory = dataDirectory(process.env);
		const isKept = isPrompt && flags.history;
		if (isKept) await createPrivateDirectory(directory);
		const terminal: ConsoleTerminal = {
			input: process.stdin,
			output: process.stdout,
			history: isKept ? join(directory, "console-history") : undefined,
			print: printText,
			note: context.note,
		};
		const operations = new Operations();
		let acting = flags.from;
		const perform: Perform = async (named, plan, memo) => {
			const given: ActingFlags = {
				...flags,
				from: named ?? acting,
				"wait-included": true,
				wait: false,
				build: false,
				sign: false,
				"dry-run": false,
				offline: false,
				progress: undefined,
				memo,
				expires: undefined,
				"ref-block": undefined,
				ref: undefined,
			};
			let result: ActingResult | undefined;
			// The acting account may change, and the session caches it.
			const own = {
				...session,
				acting: undefined,
				schemes: undefined,
				shown: undefined,
				onResult: (told: ActingResult) => {
					result = told;
				},
			};
			await besidePrompt(terminal, async () => {
				const actor = await actorOf(own, given);
				await act(own, actor, given, await plan(actor));
			});
			operations.act();
			if (result?.txID !== undefined) context.note(`sent ${result.txID}`);
			return result && present(result);
		};
		const chain: ConsoleChain = {
			settings,
			client: new NodeClient(settings),
			perform,
			from: () => acting,
			operations,
		};
		const names = await consoleNames(chain, (name) => {
			acting = name;
		});
		if (!isPrompt) return runScript(terminal, names.globals, operations);
		context.note(
			`${settings.profile}: ${names.accounts} accounts, ${names.contracts} contracts; help says what there is, .exit ends`,
		);
		onlyRefusing();
		await runPrompt(terminal, names.globals, operations);
	},
});

/** A transaction's outcome, without members that its type doesn't have. */
function present(result: ActingResult): object {
	return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== undefined));
}
