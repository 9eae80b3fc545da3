/** The base of commands that turn contract values into bytes and back, without a node. */

import { type AbiView, keyedValues } from "../../abi/coder.js";
import type { AbiItem } from "../../abi/parameter.js";
import { Failure } from "../../wallet/failure.js";
import { parseHexBytes } from "../../wallet/values/bytes-text.js";
import { argumentOrStdin } from "../input/stdin.js";
import { printJson } from "../output/output.js";
import { CoinCommand } from "./coin-command.js";

export abstract class AbiCommand extends CoinCommand {
	/** Bytes of an argument, or of standard input. @throws {Failure} */
	protected async bytesArgument(argument: string | undefined, purpose: string): Promise<Uint8Array> {
		const input = await argumentOrStdin(argument, purpose, true);
		if (!input) throw new Failure("usage", `no ${purpose}: give it as an argument or through a pipe`);
		return parseHexBytes(input.text);
	}

	/** One value bare, several as a list of JSON. */
	protected printValues(values: readonly AbiView[]): void {
		const [only] = values;
		if (values.length !== 1 || typeof only === "object") printJson(values.length === 1 ? only : values);
		else this.printScalar(only as bigint | boolean | string);
	}

	/** An item with its values by name. */
	protected printDecoded(item: AbiItem, signature: string, values: readonly AbiView[]): void {
		this.printRecord({ signature, arguments: keyedValues(item.inputs, values) });
	}
}
