/**
 * The base of every command: general flags, printing by kind of result, refusals with their exit codes. It replaces
 * what the framework does differently from protocol/command-line §8.
 */

import { Command, Flags, type Interfaces } from "@oclif/core";
import { TOP_KEYS } from "../../wallet/configuration/configuration.js";
import { loadSettings, type Settings, type SettingsFlags } from "../../wallet/configuration/settings.js";
import type { Failure } from "../../wallet/failure.js";
import { nearest } from "../../wallet/values/suggestion.js";
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
 * How results leave a command, the one rule of all (docs/commands): text, or with `--json` JSON; what acts on the chain,
 * makes an envelope or goes on without an end (`stream`) prints JSON also as soon as standard output is not a terminal,
 * unless `--text` is given.
 */
export type OutputKind = "query" | "acts" | "envelope" | "stream";

/** The hint of refusals that know nothing better. */
const SEE_HELP = "see --help";

/** What other tools call flags, and what they are called here. */
const OTHER_FLAGS: ReadonlyMap<string, string> = new Map([
	["--rpc-url", "--node"],
	["--gas-limit", "--fee-limit"],
	["--gas", "--fee-limit"],
	["--block-time", "--seal"],
	["--confirmations", "--wait"],
	["--sender", "--from"],
	["--unlocked", "--from"],
	["--amount", "--value"],
	["--rpc", "--node"],
	["--name", "--contract"],
]);
const KEYS_ARE_KEPT =
	"keys are never arguments: coin keystore import key <name> - keeps one, and --from <name> acts with it";

export abstract class CoinCommand extends Command {
	static override baseFlags = generalFlags;
	/** Kind of the command's result. */
	static outputKind: OutputKind = "query";
	/** Whether its arguments are ids of blocks, transactions or orders, which are no secrets. */
	static takesIds = false;
	/** What it prints under `--json`; undefined where that isn't JSON of our own. */
	static result: ResultShape | undefined;

	protected override async _run<T>(): Promise<T> {
		if (!this.hasFlag("--json-schema")) return super._run();
		const { result } = this.constructor as typeof CoinCommand;
		const described = this.config.findCommand(this.id as string, { must: true });
		printJson(commandSchema(described as DescribedCommand, result));
		return undefined as T;
	}

	/**
	 * The framework sorts the arguments by where each word first stands in the line, among flags' values too: one that comes
	 * twice moves to the front. `argv` has them as they were typed.
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

	/** Notes and progress are wanted. */
	protected get chatty(): boolean {
		const { COIN_QUIET } = process.env;
		return !this.hasFlag("--quiet") && !this.hasFlag("-q") && COIN_QUIET !== "1";
	}

	/** Who is shown the progress of long work. */
	protected audience(flags: Partial<ProgressFlags>): ProgressAudience {
		return flags.progress ?? this.chatty;
	}

	private get outputKind(): OutputKind {
		return (this.constructor as typeof CoinCommand).outputKind;
	}

	/** Looks at the words as typed, since a refusal by the parser needs the answer too. */
	private hasFlag(flag: string): boolean {
		const end = this.argv.indexOf("--");
		return (end < 0 ? this.argv : this.argv.slice(0, end)).includes(flag);
	}

	/** Prints one plain value. */
	protected printScalar(value: Scalar): void {
		if (this.json) printJson(value);
		else printText(String(value));
	}

	/** Prints whether something was done: `true` or `false` for programs, a message for people. */
	protected printOutcome(isDone: boolean, message: string): void {
		if (this.json) printJson(isDone);
		else printText(message);
	}

	/** Prints one record: a JSON object, or `name  value` lines; `text` gives people another form of it. */
	protected printRecord(record: object, text?: object | readonly string[]): void {
		if (this.json) printJson(record);
		else
			for (const line of Array.isArray(text) ? (text as string[]) : recordLines(text ?? record))
				printLine(line);
	}

	/** Prints a list: a JSON object a line, or a table; `text` gives people another form of the rows. */
	protected printList(
		records: readonly object[],
		columns: readonly string[],
		none: string,
		text: readonly object[] = records,
	): void {
		if (this.json) for (const record of records) printJson(record);
		else for (const line of tableLines(text, columns, none)) printLine(line);
	}

	/** Says something that isn't the result, on standard error. */
	protected note(line: string): void {
		if (this.chatty) printNote(line);
	}

	/** A warning: shown to people and programs alike. */
	protected warning(message: string): void {
		if (this.chatty) printNote(`${paint("yellow", "warning:", process.stderr)} ${message}`);
	}

	/** The settings in force: flags, environment, configuration. @throws {Failure} */
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

	/** Adds what a refusal of this command must say, such as whether a transaction was sent. */
	protected explain(failure: Failure): Failure {
		return failure;
	}

	/** Names the command whose help a hint means. */
	private withHelp(failure: Failure): Failure {
		if (failure.facts.hint !== SEE_HELP || !this.id) return failure;
		const name = this.id.replaceAll(":", " ");
		const usage = isAboutWords(failure.message) ? this.config.findCommand(this.id)?.usage : undefined;
		// One that a command writes itself begins with its name.
		const call =
			typeof usage === "string" ? `write coin ${usage.startsWith(name) ? "" : `${name} `}${usage}; ` : "";
		return failure.with({ hint: `${call}see coin ${name} --help` });
	}

	/** The parser's refusal of a mistyped flag, or of an argument that belongs behind a flag, with the flag that was meant. */
	private withSuggestion(failure: Failure, error: unknown): Failure {
		const isCall = this.id === "wallet:send" && this.argv.some((word) => /^\w+\(.*\)$/s.test(word));
		if (isCall) return failure.with({ hint: "did you mean coin contract send? coin send pays" });
		// Commands without flags have none of either.
		const { flags = {}, baseFlags } = this.constructor as typeof CoinCommand;
		const surplus = surplusArgument(error);
		const address = flags["address"];
		// Commands that name one account as an argument take more of them by that flag.
		if (surplus !== undefined && address?.type === "option" && address.multiple)
			return failure.with({ hint: `did you mean --address ${surplus}?` });
		const typed = unknownFlag(error);
		if (typed === undefined) return failure;
		if (typed.startsWith("--private-key")) return failure.with({ hint: KEYS_ARE_KEPT });
		const known = Object.keys({ ...flags, ...baseFlags }).map((name) => `--${name}`);
		const name = typed.replace(/=.*/s, "");
		const other = OTHER_FLAGS.get(name);
		const [near] = other !== undefined && known.includes(other) ? [other] : nearest(name, known);
		return near ? failure.with({ hint: `did you mean ${near}?` }) : failure;
	}

	protected override async catch(error: unknown): Promise<void> {
		const explained = this.explain(this.withHelp(this.withSuggestion(asFailure(error), error)));
		const { takesIds } = this.constructor as typeof CoinCommand;
		const failure = withoutArgumentSecrets(explained, this.id ?? "", this.argv, takesIds);
		process.exitCode = reportFailure(failure, this.json);
	}
}
