/**
 * Commands as table rows: a command's declaration and the function that runs it, from which its class is made. Commands that keep
 * state between steps are written as classes instead.
 */

import type { Command, Interfaces } from "@oclif/core";
import type { Settings, SettingsFlags } from "../../wallet/configuration/settings.js";
import type { Failure } from "../../wallet/failure.js";
import type { NodeClient, NodeView } from "../../wallet/node/node-client.js";
import { accountOrActive } from "../../wallet/transaction/signing.js";
import {
	blockFlag,
	keystoreFlags,
	nodeFlags,
	optional,
	type PasswordFlags,
	type ProgressFlags,
	type SolidityFlags,
	solidityFlag,
} from "../flags/flags.js";
import type { PasswordSource } from "../keys/secrets.js";
import type { Scalar } from "../output/output.js";
import type { ProgressAudience } from "../progress/progress.js";
import type { ResultShape } from "../schema/result-shape.js";
import { CoinCommand, type OutputKind } from "./coin-command.js";
import { stateClient } from "./node-questions.js";

/** Argument of queries about one account: the given one, or the active wallet. */
export const accountArgument = {
	account: optional("address or label (default: the active wallet)"),
};

export const accountQueryFlags = { ...nodeFlags, ...blockFlag, ...solidityFlag, ...keystoreFlags };

/** Types of parsed arguments and flags, inferred from their declarations. */
type ArgsOf<A extends Interfaces.ArgInput> = Interfaces.InferredArgs<A>;
export type FlagsOf<F extends Interfaces.FlagInput> = Interfaces.InferredFlags<F>;

/** A command's declaration for the framework and the help: the static members of its class. */
export interface CommandWords<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput> {
	readonly summary: string;
	readonly description?: string;
	readonly examples?: readonly string[];
	readonly aliases?: readonly string[];
	readonly usage?: string;
	/** False if it takes any number of arguments. */
	readonly strict?: boolean;
	readonly args?: A;
	readonly flags?: F;
	readonly result?: ResultShape;
	readonly takesIds?: boolean;
	readonly outputKind?: OutputKind;
}

/** A command: its declaration, and the function that runs it. */
export type CommandRow<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput, Context> = CommandWords<
	A,
	F
> & {
	/** Whether it may send transactions, so that a failure says whether it did. */
	readonly sends?: boolean;
	run(context: Context): Promise<void> | void;
};

/** Prints results ({@link CoinCommand}). */
interface Printer {
	scalar(value: Scalar): void;
	record(record: object, text?: object | readonly string[]): void;
	list(records: readonly object[], columns: readonly string[], none: string, text?: readonly object[]): void;
	outcome(isDone: boolean, message: string): void;
}

/** A command's output, and the values of its general flags. */
export interface Terminal {
	/** Whether the result is printed as JSON. */
	readonly json: boolean;
	/** Whether notes and progress are wanted. */
	readonly chatty: boolean;
	readonly print: Printer;
	note(line: string): void;
	warning(message: string): void;
	/** The effective settings. @param flags those that were typed if absent @throws {Failure} */
	settings(flags?: SettingsFlags): Promise<Settings>;
	/** Who is shown the progress of long operations. */
	audience(): ProgressAudience;
	/** Where the password of a key comes from. */
	passwordSource(settings: Settings): PasswordSource;
}

/** A command's arguments and flags, and its output. */
export interface CommandContext<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput>
	extends Terminal {
	/** The program's version and commands. */
	readonly config: Interfaces.Config;
	readonly args: ArgsOf<A>;
	readonly flags: FlagsOf<F>;
	/** The arguments in order, for commands that take any number. */
	readonly argv: readonly string[];
	/** Arguments and flags in the order in which they were typed. */
	readonly raw: Interfaces.ParserOutput["raw"];
}

/** Flags with the same meaning in all commands that declare them. */
type GivenFlags = SettingsFlags & Partial<PasswordFlags & ProgressFlags>;

/** Makes the class of a command. */
export function command<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput>({
	run,
	sends = false,
	...words
}: CommandRow<A, F, CommandContext<A, F>>): Command.Class {
	class Row extends CoinCommand {
		protected override explain(failure: Failure): Failure {
			return sends && failure.facts.sent === undefined ? failure.with({ sent: false }) : failure;
		}

		async run(): Promise<void> {
			const { args, flags, argv, raw } = await this.parse(this.ctor);
			const given: GivenFlags = flags;
			await run({
				config: this.config,
				args: args as ArgsOf<A>,
				flags: flags as FlagsOf<F>,
				argv: argv as string[],
				raw,
				json: this.json,
				chatty: this.chatty,
				print: {
					scalar: (value) => this.printScalar(value),
					record: (record, text) => this.printRecord(record, text),
					list: (records, columns, none, text) => this.printList(records, columns, none, text),
					outcome: (isDone, message) => this.printOutcome(isDone, message),
				},
				note: (line) => this.note(line),
				warning: (message) => this.warning(message),
				settings: (asked = given) => this.settings(asked),
				audience: () => this.audience(given),
				passwordSource: (settings) => this.passwordSource(given, settings),
			});
		}
	}
	return Object.assign(Row, words);
}

/** The context of a query to a node. */
interface QueryContext<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput>
	extends Omit<CommandContext<A, F>, "settings"> {
	readonly settings: Settings;
	/** Client of the node given by the flags, for the state after the block of `--block`. */
	readonly client: NodeClient;
	readonly view: NodeView;
}

/** Makes the class of a command that queries a node. */
export function query<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput>({
	run,
	...words
}: CommandRow<A, F, QueryContext<A, F>>): Command.Class {
	return command<A, F>({
		...words,
		run: async (context) => {
			const settings = await context.settings();
			const { block, solidity }: NodeFlags = context.flags;
			const client = await stateClient(settings, block);
			await run({ ...context, settings, client, view: solidity ? "solidity" : "full" });
		},
	});
}

/** Optional flags of a query to a node. */
type NodeFlags = Partial<SolidityFlags> & { readonly block?: string | undefined };

/** The context of a query about an account: the given one, or the active wallet. */
interface AccountContext<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput>
	extends QueryContext<A, F> {
	/** 21 bytes. */
	readonly address: Uint8Array;
}

/** Makes the class of a command that queries the account given by the argument `account`. */
export function accountQuery<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput>({
	run,
	...words
}: CommandRow<A, F, AccountContext<A, F>>): Command.Class {
	return query<A, F>({
		...words,
		run: async (context) => {
			const { account }: { readonly account?: string } = context.args;
			await run({ ...context, address: await accountOrActive(context.settings, account) });
		},
	});
}
