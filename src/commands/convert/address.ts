import { Flags } from "@oclif/core";
import { ConvertCommand, valueArgument } from "../../terminal/base/convert-command.js";
import { Failure } from "../../wallet/failure.js";
import { type AddressForms, addressForms, readAddress } from "../../wallet/values/address-text.js";
import { shorten } from "../../wallet/values/bytes-text.js";

export default class ConvertAddress extends ConvertCommand {
	static override summary = "Convert an address between Base58, hex, 20-byte hex and Base64";
	static override description =
		"Base58 becomes hex, every other form becomes Base58, unless --to says otherwise. --json prints all forms.";
	static override examples = [
		"<%= config.bin %> convert address TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC",
		"<%= config.bin %> convert address 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf --to hex",
	];
	static override args = valueArgument;
	static override flags = {
		to: Flags.option({
			options: ["base58", "hex", "evm", "base64"] as const,
			description: "form to print",
		})(),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ConvertAddress);
		await this.convertAll(args.value, (value) => {
			const text = value.trim();
			const forms = addressForms(readAnyForm(text));
			const to: keyof AddressForms = flags.to ?? (text === forms.base58 ? "hex" : "base58");
			return { text: forms[to], json: forms };
		});
	}
}

/** All forms of the wallet, and Base64, which one of the network's wallets prints. */
function readAnyForm(text: string): Uint8Array {
	const address = readAddress(text);
	if (address) return address;
	const bytes = Buffer.from(text, "base64");
	const fromBase64 =
		bytes.length === 21 && bytes.toString("base64") === text ? readAddress(bytes.toString("hex")) : undefined;
	if (!fromBase64) throw new Failure("bad_address", `"${shorten(text)}" is not an address`);
	return fromBase64;
}
