import { Args } from "@oclif/core";
import { watchAddress } from "../../../keystore/keystore.js";
import { CoinCommand } from "../../../terminal/base/coin-command.js";
import { keystoreFlags } from "../../../terminal/flags/flags.js";
import { entryRecord } from "../../../terminal/flags/wallet-argument.js";
import { Devices, onDevice } from "../../../terminal/keys/devices.js";
import type { Settings } from "../../../wallet/configuration/settings.js";
import { Failure } from "../../../wallet/failure.js";
import { namesDevice } from "../../../wallet/signers/device-name.js";
import { readAddress } from "../../../wallet/values/address-text.js";

export default class KeystoreImportWatch extends CoinCommand {
	static override summary = "Keep an address without its key";
	static override description =
		"Queries and --build take it like any wallet; signing is refused. Importing its key later makes it a key.";
	static override examples = [
		"<%= config.bin %> keystore import watch TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC cold",
	];
	static override args = {
		address: Args.string({
			description: "address in any form, or ledger[:<index or path>]",
			required: true,
			ignoreStdin: true,
		}),
		name: Args.string({ description: "label (default: the address)", ignoreStdin: true }),
	};
	static override flags = keystoreFlags;

	async run(): Promise<void> {
		const parsed = await this.parse(KeystoreImportWatch);
		const { flags } = parsed;
		const args = inOrder(parsed.args);
		const settings = await this.settings(flags);
		const address = namesDevice(args.address)
			? await this.addressOnDevice(settings, args.address)
			: readAddress(args.address);
		if (!address) throw new Failure("bad_address", `"${args.address}" is not an address`);
		this.printRecord(entryRecord(await watchAddress(settings.keystoreDirectory, address, args.name)));
	}

	/** The address of a device's key, once its owner has compared it there. */
	private async addressOnDevice(settings: Settings, name: string): Promise<Uint8Array> {
		const devices = new Devices();
		try {
			const device = await devices.open(settings, name);
			this.note(`${device.name} is ${device.base58}; compare on its screen`);
			await onDevice(this.chatty, () => device.confirmAddress());
			return device.address;
		} finally {
			await devices.close();
		}
	}
}

/** Other commands take the label first: both orders mean the same where only one of the words is an address. */
function inOrder({ address, name }: { readonly address: string; readonly name?: string | undefined }): {
	readonly address: string;
	readonly name?: string | undefined;
} {
	const isAddress = (text: string): boolean =>
		/^(T[1-9A-HJ-NP-Za-km-z]{33}|(0x)?41[0-9a-fA-F]{40}|0x[0-9a-fA-F]{40})$/.test(text);
	return name !== undefined && isAddress(name) && !isAddress(address)
		? { address: name, name: address }
		: { address, name };
}
