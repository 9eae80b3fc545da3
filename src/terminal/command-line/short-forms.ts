/** Expands short forms of command lines into full commands before lookup. */

/** Topics for which `show` can be omitted: `coin block 812` is `coin block show 812`. */
const SHOWN: Readonly<Record<string, (word: string) => boolean>> = {
	block: (word) => /^(\d{1,18}|head|latest|solid|finalized|earliest|(0x)?[0-9a-fA-F]{64})$/.test(word),
	tx: (word) => /^((0x)?[0-9a-fA-F]{64}|-)$/i.test(word),
	account: () => true,
};

/** The conversion for a bare value, by the first matching form: `coin convert 25.5coin` is `coin convert unit 25.5coin`. */
const CONVERTED: readonly (readonly [form: RegExp, command: string])[] = [
	[/^(T[1-9A-HJ-NP-Za-km-z]{33}|(0x)?41[0-9a-f]{40}|0x[0-9a-f]{40})$/i, "address"],
	[/^[\d_.]+\s*(coin|trx|sun)$/i, "unit"],
	[/^0x[0-9a-f]{1,64}$/i, "dec"],
	[/^\d+$/, "hex"],
];

/**
 * Expands the words of a command line.
 * @param isNear whether a word that isn't one of the topic's commands may be a mistyped one: it is then left to the error message
 */
export function longForm(
	words: readonly string[],
	commandsOf: (topic: string) => readonly string[],
	isNear: (word: string, known: readonly string[]) => boolean,
): string[] {
	const [first = "", second] = words;
	if (words.length === 1 && (first === "version" || first === "-v" || first === "-V")) return ["--version"];
	const shows = Object.hasOwn(SHOWN, first) ? SHOWN[first] : undefined;
	if (shows && second !== undefined && shows(second) && (second === "-" || !second.startsWith("-"))) {
		const known = commandsOf(first);
		if (!known.includes(second) && !isNear(second, known)) return [first, "show", ...words.slice(1)];
	}
	if (first === "convert" && second !== undefined && !commandsOf(first).includes(second)) {
		const [, command] = CONVERTED.find(([form]) => form.test(second)) ?? [];
		if (command !== undefined) return [first, command, ...words.slice(1)];
	}
	return [...words];
}
