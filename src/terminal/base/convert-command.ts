/** The base of the converters: a value from the argument or from standard input, one answer a value. */

import { Args } from "@oclif/core";
import { Failure } from "../../wallet/failure.js";
import { argumentOrStdin } from "../input/stdin.js";
import { printJson, printText } from "../output/output.js";
import { CoinCommand } from "./coin-command.js";

/** The argument that every converter takes. */
export const valueArgument = {
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

export abstract class ConvertCommand extends CoinCommand {
	/** Converts and prints each value. @throws {Failure} with the position in a stream */
	protected async convertAll(
		argument: string | undefined,
		convert: (value: string) => Converted,
	): Promise<void> {
		const input = await argumentOrStdin(argument, "the value", true);
		if (!input)
			throw new Failure("usage", "no value: give it as an argument or through a pipe", {
				hint: "see --help",
			});
		const values = input.fromStdin ? input.text.replace(/\r?\n$/, "").split(/\r?\n/) : [input.text];
		values.forEach((value, index) => {
			const converted = this.convertOne(value, convert, input.fromStdin ? index : undefined);
			if (this.json) printJson("json" in converted ? converted.json : converted.text);
			else printText(converted.text);
		});
	}

	private convertOne(
		value: string,
		convert: (value: string) => Converted,
		index: number | undefined,
	): Converted {
		try {
			return convert(value);
		} catch (error) {
			if (error instanceof Failure && index !== undefined) throw error.with({ index });
			throw error;
		}
	}
}
