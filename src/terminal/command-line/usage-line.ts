/** The line that says how a command is called: its arguments and the flags that must be there. */

interface Usable {
	readonly strict?: boolean | undefined;
	readonly args: Readonly<Record<string, { readonly name: string; readonly required?: boolean | undefined }>>;
	readonly flags: Readonly<
		Record<
			string,
			{
				readonly name: string;
				readonly required?: boolean | undefined;
				readonly helpValue?: string | readonly string[] | undefined;
			}
		>
	>;
}

/** What follows the words of the command, under whichever name it is called. Arguments in `<…>`, those that may be absent in `[…]`; the last of a command that takes more words is repeatable. */
export function usageLine({ args, flags, strict }: Usable): string {
	const list = Object.values(args);
	const words = list.map(({ name, required }, index) => {
		const repeated = strict === false && index === list.length - 1 ? "..." : "";
		return required ? `<${name}>${repeated}` : `[${name}]${repeated}`;
	});
	const needed = Object.values(flags)
		.filter(({ required }) => required)
		.map(({ name, helpValue }) => `--${name} ${helpValue ?? "<value>"}`);
	return [...words, ...needed, "[flags]"].join(" ");
}
