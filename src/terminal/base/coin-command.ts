/**
 * The base class of all commands: general flags, printing by kind of result, failures with their exit codes. It overrides
 * what the framework does differently from protocol/command-line §8.
 */

import { Command, Flags, type Interfaces } from "@oclif/core";
import { TOP_KEYS } from "../../wallet/configuration/configuration.js";
import { loadSettings, type Settings, type SettingsFlags } from "../../wallet/configuration/settings.js";
import type { Failure } from "../../wallet/failure.js";
import { nearest } from "../../wallet/values/suggestion.js";
import { flagHint } from "../command-line/unknown-command.js";
import type { PasswordFlags, ProgressFlags } from "../flags/flags.js";
import { withoutArgumentSecrets } from "../keys/argument-secrets.js";
import type { PasswordSource } from "../keys/secrets.js";
import { paint } from "../output/colors.js";
import { asFailure, reportFailure } from "../output/failure-report.js";
import { isAboutWords, surplusArgument, unknownFlag } from "../output/framework-errors.js";
import {
	printJson,
	printLine,
	printNote,
	printText,
	recordLines,
	type Scalar,
	tableLines,
} from "../output/output.js";
import type { ProgressAudience } from "../progress/progress.js";
import { commandSchema, type DescribedCommand } from "../schema/command-schema.js";
import type { ResultShape } from "../schema/result-shape.js";

/** Flags that every command takes. */
export const generalFlags = {
	json: Flags.boolean({ description: "print JSON, one value a line", helpGroup: "GENERAL" }),
	text: Flags.boolean({
		description: "text for people, also into a pipe",
		exclusive: ["json"],
		helpGroup: "GENERAL",
	}),
	quiet: Flags.boolean({
		char: "q",
		description: "no progress and no notes on standard error",
		helpGroup: "GENERAL",
		env: "COIN_QUIET",
	}),
	config: Flags.string({
		description: "user configuration",
		helpValue: "<file>",
		helpGroup: "GENERAL",
		env: "COIN_CONFIG",
	}),
	"json-schema": Flags.boolean({
		description: "print arguments, flags, result and errors as JSON Schema; do nothing",
		helpGroup: "GENERAL",
	}),
	"no-color": Flags.boolean({ description: "no colours", helpGroup: "GENERAL", env: "COIN_NO_COLOR" }),
};

/**
 * How commands print results, the same for all (docs/commands): text, or JSON with `--json`; commands that act on the chain,
 * make an envelope or run without end (`stream`) also print JSON if standard output is not a terminal,
 * unless `--text` is given.
 */
export type OutputKind = "query" | "acts" | "envelope" | "stream";

/** The hint of failures without a more specific one. */
const SEE_HELP = "see --help";

export abstract class CoinCommand extends Command {
	static override baseFlags = generalFlags;
	/** Kind of the command's result. */
	static outputKind: OutputKind = "query";
	/** Whether its arguments are ids of blocks, transactions or orders, which aren't secrets. */
	static takesIds = false;
	/** Shape of its `--json` output; undefined if that isn't this program's own JSON. */
	static result: ResultShape | undefined;

	protected override async _run<T>(): Promise<T> {
		if (!this.hasFlag("--json-schema")) return super._run();
		const { result } = this.constructor as typeof CoinCommand;
		const described = this.config.findCommand(this.id as string, { must: true });
		printJson(commandSchema(described as DescribedCommand, result));
		return undefined as T;
	}

	/**
	 * Restores the order of arguments: the framework sorts them by the first position of each word in the line, flag values included,
	 * so that a repeated word moves to the front. `argv` has them as typed.
	 */
	protected override async parse<
		F extends Interfaces.OutputFlags<Interfaces.FlagInput>,
		B extends Interfaces.OutputFlags<Interfaces.FlagInput>,
		A extends Interfaces.OutputArgs<Interfaces.ArgInput>,
	>(options?: Interfaces.Input<F, B, A>, words?: string[]): Promise<Interfaces.ParserOutput<F, B, A>> {
		const parsed = await super.parse(options, words);
		const argv = parsed.raw.filter(({ type }) => type === "arg").map(({ input }) => input);
		return { ...parsed, argv };
	}

	/** Whether the result is printed as JSON. */
	protected get json(): boolean {
		const { COIN_CONTENT_TYPE } = process.env;
		if (this.hasFlag("--json") || COIN_CONTENT_TYPE?.toLowerCase() === "json") return true;
		return this.outputKind !== "query" && !this.hasFlag("--text") && process.stdout.isTTY !== true;
	}

	/** Whether notes and progress are wanted. */
	protected get chatty(): boolean {
		const { COIN_QUIET } = process.env;
		return !this.hasFlag("--quiet") && !this.hasFlag("-q") && COIN_QUIET !== "1";
	}

	/** Who is shown the progress of long operations. */
	protected audience(flags: Partial<ProgressFlags>): ProgressAudience {
		return flags.progress ?? this.chatty;
	}

	private get outputKind(): OutputKind {
		return (this.constructor as typeof CoinCommand).outputKind;
	}

	/** Checks the words as typed, since this is also needed when the parser fails. */
	private hasFlag(flag: string): boolean {
		const end = this.argv.indexOf("--");
		return (end < 0 ? this.argv : this.argv.slice(0, end)).includes(flag);
	}

	/** Prints one plain value. */
	protected printScalar(value: Scalar): void {
		if (this.json) printJson(value);
		else printText(String(value));
	}

	/** Prints an outcome: `true` or `false` for programs, a message for people. */
	protected printOutcome(isDone: boolean, message: string): void {
		if (this.json) printJson(isDone);
		else printText(message);
	}

	/** Prints one record: a JSON object, or `name  value` lines; `text` replaces the form for people. */
	protected printRecord(record: object, text?: object | readonly string[]): void {
		if (this.json) printJson(record);
		else
			for (const line of Array.isArray(text) ? (text as string[]) : recordLines(text ?? record))
				printLine(line);
	}

	/** Prints a list: one JSON object per line, or a table; `text` replaces the rows for people. */
	protected printList(
		records: readonly object[],
		columns: readonly string[],
		none: string,
		text: readonly object[] = records,
	): void {
		if (this.json) for (const record of records) printJson(record);
		else for (const line of tableLines(text, columns, none)) printLine(line);
	}

	/** Prints something other than the result on standard error. */
	protected note(line: string): void {
		if (this.chatty) printNote(line);
	}

	/** Prints a warning, for people and programs alike. */
	protected warning(message: string): void {
		if (this.chatty) printNote(`${paint("yellow", "warning:", process.stderr)} ${message}`);
	}

	/** The effective settings: flags, environment, configuration. @throws {Failure} */
	protected async settings(flags: SettingsFlags): Promise<Settings> {
		const settings = await loadSettings(flags, process.env);
		if (!this.warnedOfKeys) this.warnOfKeys(settings);
		return settings;
	}

	private warnedOfKeys = false;

	private warnOfKeys({ unknownKeys, configurationFile }: Settings): void {
		this.warnedOfKeys = true;
		for (const path of unknownKeys) {
			const [near] = nearest(path.split(".").at(-1) ?? "", Object.keys(TOP_KEYS));
			const hint = near ? `; did you mean ${near}?` : "";
			this.warning(`${configurationFile} has the key ${path}, which is unknown${hint}`);
		}
	}

	/** Where the password of a key comes from. */
	protected passwordSource(flags: Partial<PasswordFlags>, settings: Settings): PasswordSource {
		return {
			file: flags["password-file"] ?? settings.passwordFile,
			warn: (message) => this.warning(message),
		};
	}

	/** Adds facts to a failure of this command, such as whether a transaction was sent. */
	protected explain(failure: Failure): Failure {
		return failure;
	}

	/** Completes a hint with the command whose help it refers to. */
	private withHelp(failure: Failure): Failure {
		if (failure.facts.hint !== SEE_HELP || !this.id) return failure;
		const name = this.id.replaceAll(":", " ");
		const usage = isAboutWords(failure.message) ? this.config.findCommand(this.id)?.usage : undefined;
		// A usage line written by the command itself starts with its name.
		const call =
			typeof usage === "string" ? `write coin ${usage.startsWith(name) ? "" : `${name} `}${usage}; ` : "";
		return failure.with({ hint: `${call}see coin ${name} --help` });
	}

	/** Adds to the parser's error about a mistyped flag, or an argument that needs a flag, the flag that was probably meant. */
	private withSuggestion(failure: Failure, error: unknown): Failure {
		const isCall = this.id === "wallet:send" && this.argv.some((word) => /^\w+\(.*\)$/s.test(word));
		if (isCall) return failure.with({ hint: "did you mean coin contract send? coin send pays" });
		// Commands without flags have neither.
		const { flags = {}, baseFlags } = this.constructor as typeof CoinCommand;
		const surplus = surplusArgument(error);
		const address = flags["address"];
		// Commands with one account as an argument accept further ones by that flag.
		if (surplus !== undefined && address?.type === "option" && address.multiple)
			return failure.with({ hint: `did you mean --address ${surplus}?` });
		const typed = unknownFlag(error);
		if (typed === undefined) return failure;
		const hint = flagHint(typed, Object.keys({ ...flags, ...baseFlags }));
		return hint === undefined ? failure : failure.with({ hint });
	}

	protected override async catch(error: unknown): Promise<void> {
		const explained = this.explain(this.withHelp(this.withSuggestion(asFailure(error), error)));
		const { takesIds } = this.constructor as typeof CoinCommand;
		const failure = withoutArgumentSecrets(explained, this.id ?? "", this.argv, takesIds);
		process.exitCode = reportFailure(failure, this.json);
	}
}
