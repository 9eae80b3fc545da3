/**
 * Shell completion: a script that contains all commands and flags, so that completing these starts no program; only
 * labels of keys, contacts and profiles are queried (protocol/command-line §8).
 */

import { listKeystore } from "../../keystore/keystore.js";
import { listShielded } from "../../keystore/shielded-keystore.js";
import { BUILT_IN, readConfiguration } from "../../wallet/configuration/configuration.js";
import { readContacts } from "../../wallet/configuration/contacts.js";
import { ownInterface } from "../../wallet/configuration/own-interfaces.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { accountNamed } from "../../wallet/transaction/signing.js";

/** A position in a command line, with the words that can follow: command names, or a command's flags. */
interface CompletionStep {
	/** The words so far, without the program's name. */
	readonly path: string;
	readonly words: readonly string[];
	/** The kind of names that the arguments here can be. */
	readonly names?: NameKind | undefined;
	/** Whether the second argument is a function of the contract in the first. */
	readonly hasFunctions: boolean;
	/** Possible values of each flag. */
	readonly values: Readonly<Record<string, readonly string[]>>;
}

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

/** A command with its flags. */
export interface CompletedCommand {
	/** Words separated by spaces. */
	readonly name: string;
	readonly flags: readonly string[];
	readonly names?: NameKind | undefined;
	/** Whether its second argument is a function of the contract that is the first. */
	readonly hasFunctions?: boolean | undefined;
	/** Possible values of its arguments. */
	readonly words?: readonly string[] | undefined;
	readonly values?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** All positions of the command tree. */
export function completionSteps(commands: readonly CompletedCommand[]): CompletionStep[] {
	const steps = new Map<string, Set<string>>();
	const at = (path: string): Set<string> => {
		const words = steps.get(path) ?? new Set<string>();
		steps.set(path, words);
		return words;
	};
	const byName = new Map(commands.map((command) => [command.name, command]));
	for (const { name, flags, words: own = [] } of commands) {
		const words = name.split(" ");
		words.forEach((word, index) => {
			at(words.slice(0, index).join(" ")).add(word);
		});
		for (const word of [...flags, ...own]) at(name).add(word);
	}
	return [...steps].map(([path, words]) => {
		const { names, values = {}, hasFunctions = false } = byName.get(path) ?? {};
		return { path, words: [...words].sort(), names, values, hasFunctions };
	});
}

/** All flags at a position that have known values. */
function valueRows(steps: readonly CompletionStep[]): (readonly [place: string, words: readonly string[]])[] {
	return steps.flatMap(({ path, values }) =>
		Object.entries(values).map(([flag, words]) => [`${path} ${flag}`, words] as const),
	);
}

export function completionScript(shell: Shell, steps: readonly CompletionStep[]): string {
	return { bash, zsh, fish, powershell }[shell](steps);
}

/** How to install the script for each shell. */
export const INSTALLATION: Readonly<Record<Shell, string>> = {
	bash: "coin autocomplete bash > ~/.local/share/bash-completion/completions/coin",
	zsh: "coin autocomplete zsh > ~/.zfunc/_coin   # with fpath+=~/.zfunc before compinit in ~/.zshrc",
	fish: "coin autocomplete fish > ~/.config/fish/completions/coin.fish",
	powershell: "coin autocomplete powershell >> $PROFILE",
};

/** The part shared by bash and zsh: finds the command among the words, then what can follow it. */
function posixBody(steps: readonly CompletionStep[]): string {
	const paths = steps.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
	return [
		`\tfor word in "\${before[@]}"; do`,
		'\t\tcase "$word" in -*) continue ;; esac',
		`\t\tcase "\${path:+$path }$word" in`,
		`\t\t\t${paths.join("|")}) path="\${path:+$path }$word" ;;`,
		'\t\t\t*) rest+=("$word") ;;',
		"\t\tesac",
		"\tdone",
		'\tcase "$path" in',
		...steps.map(({ path, words, names, hasFunctions }) => {
			const kinds = [...(names ? [`kind=${names}`] : []), ...(hasFunctions ? ["second=functions"] : [])];
			return `${[`\t\t"${path}") words="${words.join(" ")}"`, ...kinds].join("; ")} ;;`;
		}),
		"\tesac",
		// A flag's value is a name and nothing else.
		'\tcase "$previous" in',
		...Object.entries(NAMED_FLAGS).map(([flag, kind]) => `\t\t${flag}) kind=${kind} words="" ;;`),
		"\tesac",
		'\tcase "$path $previous" in',
		...valueRows(steps).map(([place, words]) => `\t\t"${place}") kind="" words="${words.join(" ")}" ;;`),
		"\tesac",
		'\tcase "$current" in -*) kind="" ;; esac',
		`\tif [ -n "$second" ] && [ "\${#rest[@]}" -eq 1 ] && [ "$previous" = "\${rest[@]:0:1}" ]; then`,
		'\t\tkind=""',
		'\t\tfound="$(coin autocomplete --functions "$previous" 2>/dev/null | tr "\\n" " ")"',
		// Flags are only offered after a dash was typed.
		'\t\tcase "$current" in -*) ;; *) [ -n "$found" ] && words="$found" ;; esac',
		"\tfi",
		'\t[ -n "$kind" ] && words="$words $(coin autocomplete --names "$kind" 2>/dev/null | tr "\\n" " ")"',
	].join("\n");
}

function bash(steps: readonly CompletionStep[]): string {
	return [
		"# bash completion for coin",
		"_coin() {",
		`\tlocal path="" word words="" kind="" second="" found="" rest=() current="\${COMP_WORDS[COMP_CWORD]}"`,
		`\tlocal previous="\${COMP_WORDS[COMP_CWORD-1]}"`,
		`\tlocal before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")`,
		posixBody(steps),
		'\tCOMPREPLY=($(compgen -W "$words" -- "$current"))',
		"}",
		"complete -o default -F _coin coin",
		"",
	].join("\n");
}

function zsh(steps: readonly CompletionStep[]): string {
	return [
		"#compdef coin",
		"_coin() {",
		`\tlocal at="" path_="" word words_="" kind="" second="" found="" current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}"`,
		`\tlocal -a rest before; before=("\${words[@]:1:$((CURRENT-2))}")`,
		posixBody(steps)
			.replaceAll("path", "path_")
			.replaceAll("words=", "words_=")
			.replaceAll("$words ", "$words_ "),
		`\tcompadd -- \${=words_} || _files`,
		"}",
		'if [ "$funcstack[1]" = "_coin" ]; then _coin "$@"; else compdef _coin coin; fi',
		"",
	].join("\n");
}

function fish(steps: readonly CompletionStep[]): string {
	const paths = steps.filter(({ path }) => path !== "").map(({ path }) => `'${path}'`);
	const cases = steps.map(({ path, words, names, hasFunctions }) =>
		[
			`\t\tcase '${path}'`,
			`\t\t\tset found ${words.join(" ")}`,
			...(names ? [`\t\t\tset kind ${names}`] : []),
			...(hasFunctions ? ["\t\t\tset second functions"] : []),
		].join("\n"),
	);
	return [
		"# fish completion for coin",
		"function __coin_words",
		"\tset -l path ''",
		"\tset -l found",
		"\tset -l kind ''",
		"\tset -l second ''",
		"\tset -l rest",
		"\tset -l current (commandline -ct)",
		"\tset -l before (commandline -opc)",
		"\tset -l previous $before[-1]",
		"\tfor word in $before[2..-1]",
		"\t\tstring match -q -- '-*' $word; and continue",
		'\t\tset -l next (string trim -- "$path $word")',
		'\t\tswitch "$next"',
		`\t\t\tcase ${paths.join(" ")}`,
		"\t\t\t\tset path $next",
		"\t\t\tcase '*'",
		"\t\t\t\tset -a rest $word",
		"\t\tend",
		"\tend",
		'\tswitch "$path"',
		...cases,
		"\tend",
		'\tswitch "$previous"',
		...Object.entries(NAMED_FLAGS).map(
			([flag, kind]) => `\t\tcase ${flag}\n\t\t\tset kind ${kind}\n\t\t\tset found`,
		),
		"\tend",
		'\tswitch "$path $previous"',
		...valueRows(steps).map(
			([place, words]) => `\t\tcase '${place}'\n\t\t\tset kind ''\n\t\t\tset found ${words.join(" ")}`,
		),
		"\tend",
		'\tif test -n "$second"; and test (count $rest) -eq 1; and test "$previous" = "$rest[1]"',
		"\t\tset kind ''",
		"\t\tset -a found (coin autocomplete --functions $previous 2>/dev/null)",
		"\tend",
		"\tif test -n \"$kind\"; and not string match -q -- '-*' $current",
		"\t\tset -a found (coin autocomplete --names $kind 2>/dev/null)",
		"\tend",
		"\tstring match -q -- '-*' $current; or set found (string match -v -- '-*' $found)",
		"\tif test (count $found) -gt 0",
		"\t\tprintf '%s\\n' $found",
		"\telse",
		"\t\t__fish_complete_path $current",
		"\tend",
		"end",
		"complete -c coin -f -a '(__coin_words)'",
		"",
	].join("\n");
}

function powershell(steps: readonly CompletionStep[]): string {
	return [
		"# PowerShell completion for coin",
		"Register-ArgumentCompleter -Native -CommandName coin -ScriptBlock {",
		"\tparam($wordToComplete, $commandAst, $cursorPosition)",
		"\t$steps = @{",
		...steps.map(({ path, words }) => `\t\t'${path}' = '${words.join(" ")}'`),
		"\t}",
		"\t$values = @{",
		...valueRows(steps).map(([place, words]) => `\t\t'${place}' = '${words.join(" ")}'`),
		"\t}",
		"\t$path = ''",
		"\t$previous = ''",
		"\tforeach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {",
		"\t\tif ($element.Extent.EndOffset -ge $cursorPosition) { break }",
		'\t\t$next = "$path $element".Trim()',
		"\t\tif ($steps.ContainsKey($next)) { $path = $next }",
		'\t\t$previous = "$element"',
		"\t}",
		'\t$found = if ($values.ContainsKey("$path $previous")) { $values["$path $previous"] } else { $steps[$path] }',
		"\t$found -split ' ' | Where-Object { $_ -like \"$wordToComplete*\" } |",
		"\t\tForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }",
		"}",
		"",
	].join("\n");
}

/** Keys of the keystore; these and contacts; keys of shielded addresses; these and accounts; network profiles. */
export const NAME_KINDS = ["keys", "accounts", "shielded", "payees", "profiles"] as const;
type NameKind = (typeof NAME_KINDS)[number];

/** Flags whose value is a name. */
const NAMED_FLAGS: Readonly<Record<string, NameKind>> = {
	"--from": "accounts",
	"--to": "accounts",
	"--account": "accounts",
	"--signer": "keys",
	"--key": "shielded",
	"--shielded": "shielded",
	"--profile": "profiles",
	"--address": "accounts",
	"--as": "accounts",
};

/** Common values for flags without a closed list of values, by their name in the help. */
const USUAL_VALUES: Readonly<Record<string, readonly string[]>> = {
	"<block>": ["earliest", "head", "solid"],
};

/** A flag as in the command manifest. */
interface KnownFlag {
	readonly type: string;
	readonly options?: readonly string[] | undefined;
	/** The value as shown in the help; `genesis|main` is a complete list. */
	readonly helpValue?: string | readonly string[] | undefined;
}

/** Possible values of a command's flags, by flag with its dashes; omits flags whose values aren't known. */
export function valuesOfFlags(
	flags: Readonly<Record<string, KnownFlag>>,
): Readonly<Record<string, readonly string[]>> {
	return Object.fromEntries(
		Object.entries(flags).flatMap(([name, { type, options, helpValue }]) => {
			const shown = String(helpValue ?? "");
			const listed = /^[\w-]+(\|[\w-]+)+$/.test(shown) ? shown.split("|") : USUAL_VALUES[shown];
			const words = type === "option" ? (options ?? listed ?? []).filter(isPlainWord) : [];
			return words.length > 0 ? [[`--${name}`, words] as const] : [];
		}),
	);
}

const ACCOUNTS = new Set(["account", "address", "contract", "issuer", "spender", "to"]);
/** Commands whose arguments don't exist yet, because they create something, or are addresses of other networks. */
const NOT_THERE = /^(network |keystore (new|import)|contact add|shielded (new|import))/;

/** The kind of names that a command's arguments are; undefined if they are not names. @param command words separated by spaces */
export function namedByArguments(command: string, argumentNames: readonly string[]): NameKind | undefined {
	if (NOT_THERE.test(command)) return undefined;
	if (/^profile (use|show|set|remove)$/.test(command)) return "profiles";
	if (command === "shielded send") return "payees";
	if (/^shielded (address|delete|rename|export )/.test(command)) return "shielded";
	if (argumentNames.includes("wallet") || command === "keystore unlock") return "keys";
	if (command === "contact remove" || argumentNames.some((name) => ACCOUNTS.has(name))) return "accounts";
	return undefined;
}

/** The labels of a kind that are single plain words: shells evaluate word lists, so nothing else is safe to offer. */
export async function namesOf(kind: NameKind, settings: Settings): Promise<string[]> {
	const names = new Set<string>();
	if (kind === "profiles") {
		const { profiles } = await readConfiguration(settings.configurationFile, "", false);
		for (const name of [...Object.keys(BUILT_IN), ...Object.keys(profiles)]) names.add(name);
	}
	if (kind === "shielded" || kind === "payees")
		for (const { name } of (await listShielded(settings.keystoreDirectory)).entries) names.add(name);
	if (kind === "keys" || kind === "accounts" || kind === "payees")
		for (const { name } of (await listKeystore(settings.keystoreDirectory)).entries) names.add(name);
	if (kind === "accounts" || kind === "payees")
		for (const { label } of await readContacts(settings.contactsFile)) names.add(label);
	return [...names].filter(isPlainWord).sort();
}

/** Functions of a contract, for completion; only uses a saved interface, without querying a node. */
export async function functionsOf(contract: string, settings: Settings): Promise<string[]> {
	const items = (await ownInterface(settings, await accountNamed(settings, contract))) ?? [];
	const names = items.flatMap(({ kind, name }) => (kind === "function" ? [name] : []));
	return [...new Set(names)].filter(isPlainWord).sort();
}

/** Whether a name has no special meaning in any shell, and isn't a flag. */
export function isPlainWord(name: string): boolean {
	return /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name);
}
