/** What commands that import a secret share: its label, and where it is read from. */

import { Args, Flags, type Interfaces } from "@oclif/core";
import { optional } from "../flags/flags.js";

/** @param secret description of what is imported @param label what the label belongs to */
export const importArguments = (secret: string, label: string) => ({
	name: optional(`label of ${label} (default: its address)`),
	source: Args.string({
		description: `- to read ${secret} from standard input`,
		options: ["-"],
		ignoreStdin: true,
	}),
});

/** @param secret description of what is imported, and its form */
export const secretFileFlag = (secret: string) => ({
	"key-file": Flags.string({
		description: `file with ${secret}, - for standard input`,
		helpValue: "<path>",
	}),
});

/** The label and the file. A lone `-` is the file; if it is undefined, the secret is requested on the terminal. */
export function importInput(
	args: Interfaces.InferredArgs<ReturnType<typeof importArguments>>,
	flags: Interfaces.InferredFlags<ReturnType<typeof secretFileFlag>>,
): { readonly name: string | undefined; readonly file: string | undefined } {
	const dash = args.name === "-" || args.source === "-";
	return {
		name: args.name === "-" ? undefined : args.name,
		file: flags["key-file"] ?? (dash ? "-" : undefined),
	};
}
