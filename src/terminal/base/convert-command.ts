/** The converters: a value from the argument or from standard input, one answer a value. */

import { Args, type Command, type Interfaces } from "@oclif/core";
import { Failure } from "../../wallet/failure.js";
import { argumentOrStdin } from "../input/stdin.js";
import { printJson, printText } from "../output/output.js";
import { type CommandWords, command, type FlagsOf } from "./command-row.js";

/** The argument that every converter takes. */
const valueArgument = {
	value: Args.string({
		description: "the value, - or none for standard input (one a line)",
		ignoreStdin: true,
	}),
};

/** A converted value: what people read, and its JSON where that differs. */
interface Converted {
	readonly text: string;
	readonly json?: unknown;
}

/** A converter: what turns one value into another. */
interface ConverterRow<F extends Interfaces.FlagInput>
	extends Omit<CommandWords<typeof valueArgument, F>, "args"> {
	convert(value: string, flags: FlagsOf<F>): Converted;
}

/** Makes the class of a converter. */
export function converter<F extends Interfaces.FlagInput>({
	convert,
	...words
}: ConverterRow<F>): Command.Class {
	return command<typeof valueArgument, F>({
		...words,
		args: valueArgument,
		run: async ({ args, flags, json }) => {
			const input = await argumentOrStdin(args.value, "the value", true);
			if (!input)
				throw new Failure("usage", "no value: give it as an argument or through a pipe", {
					hint: "see --help",
				});
			const values = input.fromStdin ? input.text.replace(/\r?\n$/, "").split(/\r?\n/) : [input.text];
			values.forEach((value, index) => {
				const convertOne = (): Converted => convert(value, flags);
				const converted = input.fromStdin ? inStream(convertOne, index) : convertOne();
				if (json) printJson("json" in converted ? converted.json : converted.text);
				else printText(converted.text);
			});
		},
	});
}

/** @throws {Failure} with the position in the stream */
function inStream(convertOne: () => Converted, index: number): Converted {
	try {
		return convertOne();
	} catch (error) {
		throw error instanceof Failure ? error.with({ index }) : error;
	}
}
