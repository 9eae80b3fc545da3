/** Short ways to write a command line, turned into the command that they stand for before it is looked up. */

/** Topics whose word alone shows one thing: `coin block 812` is `coin block show 812`. */
const SHOWN: Readonly<Record<string, (word: string) => boolean>> = {
	block: (word) => /^(\d{1,18}|head|latest|solid|finalized|earliest|(0x)?[0-9a-fA-F]{64})$/.test(word),
	tx: (word) => /^((0x)?[0-9a-fA-F]{64}|-)$/i.test(word),
	account: () => true,
};

/** What a bare value is converted to, by its form, the first that fits: `coin convert 25.5coin` is `coin convert unit 25.5coin`. */
const CONVERTED: readonly (readonly [form: RegExp, command: string])[] = [
	[/^(T[1-9A-HJ-NP-Za-km-z]{33}|(0x)?41[0-9a-f]{40}|0x[0-9a-f]{40})$/i, "address"],
	[/^[\d_.]+\s*(coin|trx|sun)$/i, "unit"],
	[/^0x[0-9a-f]{1,64}$/i, "dec"],
	[/^\d+$/, "hex"],
];

/**
 * The words of a command line in full.
 * @param isNear whether a word that is not a command of the topic could be a mistyped one: it is left to the refusal then
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
