import { secp256k1 } from "@noble/curves/secp256k1.js";
import { addressFromPublicKey, toBase58Check } from "../../protocol/address.js";
import { concatBytes } from "../../protocol/bytes.js";
import { ConvertCommand, valueArgument } from "../../terminal/base/convert-command.js";
import { Failure } from "../../wallet/failure.js";
import { parseHexBytes } from "../../wallet/values/bytes-text.js";

export default class ConvertPubkey extends ConvertCommand {
	static override summary = "Convert a public key to its address";
	static override description =
		"The key is hex: 33 bytes compressed, 65 with the leading 04, or 64 without it.";
	static override args = valueArgument;

	async run(): Promise<void> {
		const { args } = await this.parse(ConvertPubkey);
		await this.convertAll(args.value, (value) => {
			const bytes = parseHexBytes(value);
			try {
				const point = secp256k1.Point.fromBytes(
					bytes.length === 64 ? concatBytes(Uint8Array.of(4), bytes) : bytes,
				);
				return { text: toBase58Check(addressFromPublicKey(point.toBytes(false))) };
			} catch {
				throw new Failure("bad_value", `these ${bytes.length} bytes are not a public key`);
			}
		});
	}
}
