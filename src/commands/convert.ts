/** `coin convert …`: converts addresses, numbers, texts and amounts. */

import { secp256k1 } from "@noble/curves/secp256k1.js";
import { type Command, Flags, type Interfaces } from "@oclif/core";
import { addressFromPublicKey, toBase58Check } from "../protocol/address.js";
import { concatBytes, toHex, utf8 } from "../protocol/bytes.js";
import { keccak256, sha256 } from "../protocol/hash.js";
import { type CommandWords, command, type FlagsOf } from "../terminal/base/command-row.js";
import { optional } from "../terminal/flags/flags.js";
import { argumentOrStdin } from "../terminal/input/stdin.js";
import { printJson, printText } from "../terminal/output/output.js";
import { Failure } from "../wallet/failure.js";
import { type AddressForms, addressForms, readAddress } from "../wallet/values/address-text.js";
import { formatCoin, formatDecimal, parseCoinAmount } from "../wallet/values/amount.js";
import { parseHexBytes, shorten } from "../wallet/values/bytes-text.js";

/** The argument of every converter. */
const valueArgument = {
	value: optional("the value, - or none for standard input (one a line)"),
};

/** A converted value: its text for people, and its JSON if different. */
interface Converted {
	readonly text: string;
	readonly json?: unknown;
}

/** Converts a single value. */
interface ConverterRow<F extends Interfaces.FlagInput>
	extends Omit<CommandWords<typeof valueArgument, F>, "args"> {
	convert(value: string, flags: FlagsOf<F>): Converted;
}

/** Creates a converter's command class. */
function converter<F extends Interfaces.FlagInput>({ convert, ...words }: ConverterRow<F>): Command.Class {
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

export const ConvertAddress = converter({
	summary: "Convert an address between Base58, hex, 20-byte hex and Base64",
	description:
		"Base58 becomes hex, every other form becomes Base58, unless --to says otherwise. --json prints all forms.",
	examples: [
		"<%= config.bin %> convert address TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC",
		"<%= config.bin %> convert address 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf --to hex",
	],
	flags: {
		to: Flags.option({
			options: ["base58", "hex", "evm", "base64"] as const,
			description: "form to print",
		})(),
	},
	convert: (value, flags) => {
		const text = value.trim();
		const forms = addressForms(readAnyForm(text));
		const to: keyof AddressForms = flags.to ?? (text === forms.base58 ? "hex" : "base58");
		return { text: forms[to], json: forms };
	},
});

/** All forms the wallet knows, and Base64, which one of the network's wallets prints. */
function readAnyForm(text: string): Uint8Array {
	const address = readAddress(text);
	if (address) return address;
	const bytes = Buffer.from(text, "base64");
	const fromBase64 =
		bytes.length === 21 && bytes.toString("base64") === text ? readAddress(bytes.toString("hex")) : undefined;
	if (!fromBase64) throw new Failure("bad_address", `"${shorten(text)}" is not an address`);
	return fromBase64;
}

export const ConvertBase64 = converter({
	summary: "Convert hex with 0x to Base64, and Base64 to hex",
	examples: ["<%= config.bin %> convert base64 0x68656c6c6f", "<%= config.bin %> convert base64 aGVsbG8="],
	convert: (value) => {
		const text = value.trim();
		if (/^0x/i.test(text)) return { text: Buffer.from(parseHexBytes(text)).toString("base64") };
		const bytes = Buffer.from(text, "base64");
		if (bytes.toString("base64").replace(/=+$/, "") !== text.replace(/=+$/, "")) {
			throw new Failure("bad_value", `"${shorten(value)}" is neither Base64 nor hex with 0x`);
		}
		return { text: `0x${toHex(bytes)}` };
	},
});

export const ConvertDec = converter({
	summary: "Convert a hex integer to decimal",
	examples: ["<%= config.bin %> convert dec 0xff"],
	convert: (value) => {
		const digits = value.trim().replace(/^0x/i, "");
		if (!/^[0-9a-fA-F]+$/.test(digits))
			throw new Failure("bad_value", `"${shorten(value)}" is not hexadecimal`);
		return { text: BigInt(`0x${digits}`).toString() };
	},
});

export const ConvertHash = converter({
	summary: "Hash bytes (hex with 0x) or a text",
	examples: ["<%= config.bin %> convert hash 'transfer(address,uint256)'"],
	flags: {
		keccak: Flags.boolean({ description: "Keccak-256 (default)", exclusive: ["sha256"] }),
		sha256: Flags.boolean({ description: "SHA-256" }),
	},
	convert: (value, flags) => {
		const bytes = /^0x/i.test(value) ? parseHexBytes(value) : utf8(value);
		return { text: `0x${toHex(flags.sha256 ? sha256(bytes) : keccak256(bytes))}` };
	},
});

export const ConvertHex = converter({
	summary: "Convert a decimal integer or a text to hex",
	examples: ["<%= config.bin %> convert hex 255", "<%= config.bin %> convert hex hello"],
	flags: {
		utf8: Flags.boolean({ description: "take the value as text even if it is an integer" }),
	},
	convert: (value, flags) => {
		const integer = !flags.utf8 && /^\d+$/.test(value.trim());
		return { text: `0x${integer ? BigInt(value.trim()).toString(16) : toHex(utf8(value))}` };
	},
});

export const ConvertPubkey = converter({
	summary: "Convert a public key to its address",
	description: "The key is hex: 33 bytes compressed, 65 with the leading 04, or 64 without it.",
	examples: [
		"<%= config.bin %> convert pubkey 0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
	],
	convert: (value) => {
		const bytes = parseHexBytes(value);
		try {
			const point = secp256k1.Point.fromBytes(
				bytes.length === 64 ? concatBytes(Uint8Array.of(4), bytes) : bytes,
			);
			return { text: toBase58Check(addressFromPublicKey(point.toBytes(false))) };
		} catch {
			throw new Failure("bad_value", `these ${bytes.length} bytes are not a public key`);
		}
	},
});

export const ConvertUnit = converter({
	summary: "Convert an amount between coins and sun",
	description:
		"Coins become sun and sun become coins, unless --to says otherwise. --json prints the number alone.",
	examples: ["<%= config.bin %> convert unit 12.5coin", "<%= config.bin %> convert unit 12500000sun"],
	flags: {
		to: Flags.option({ options: ["coin", "sun"] as const, description: "unit to print" })(),
	},
	convert: (value, flags) => {
		const sun = parseCoinAmount(value);
		const toCoin = flags.to === undefined ? /sun$/i.test(value.trim()) : flags.to === "coin";
		return toCoin
			? { text: formatCoin(sun), json: formatDecimal(sun, 6) }
			: { text: `${sun}sun`, json: sun.toString() };
	},
});

export const ConvertUtf8 = converter({
	summary: "Convert hex to the text that its bytes spell",
	examples: ["<%= config.bin %> convert utf8 0x68656c6c6f"],
	convert: (value) => {
		const bytes = parseHexBytes(value);
		try {
			return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
		} catch {
			throw new Failure("bad_value", `the bytes of "${shorten(value)}" are not UTF-8 text`);
		}
	},
});
