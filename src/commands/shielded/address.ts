import { randomBytes } from "node:crypto";
import { Args, Flags } from "@oclif/core";
import { findShielded } from "../../keystore/shielded-keystore.js";
import { addressOfKeys } from "../../protocol/sapling/key-set.js";
import { readPaymentAddress, writePaymentAddress } from "../../protocol/sapling/payment-address.js";
import { diversifiedBase } from "../../protocol/sapling/shielded-keys.js";
import { keystoreFlags, passwordFlags, progressFlag } from "../../terminal/flags/flags.js";
import { one } from "../../terminal/schema/result-shape.js";
import { openShielded, ShieldedQuery, shieldedKeyFlags } from "../../terminal/shielded/shielded-query.js";

export default class ShieldedAddress extends ShieldedQuery {
	static override summary = "Print a shielded address of a key";
	static override description =
		"The usual one, or with --new another one: all of a key's addresses lead to the same notes, and whoever knows two of " +
		"them can't tell that they belong together.";
	static override examples = [
		"<%= config.bin %> shielded address ann",
		"<%= config.bin %> shielded address ann --new",
	];
	static override result = one("text");
	static override args = {
		key: Args.string({ description: "label or address (default: the only key)", ignoreStdin: true }),
	};
	static override flags = {
		...keystoreFlags,
		...passwordFlags,
		...progressFlag,
		"key-password-file": shieldedKeyFlags["key-password-file"],
		new: Flags.boolean({ description: "a new address; needs the password" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ShieldedAddress);
		const settings = await this.settings(flags);
		if (!flags.new) {
			const { address } = await findShielded(settings.keystoreDirectory, args.key);
			return this.printScalar(writePaymentAddress(readPaymentAddress(address), settings.dialect));
		}
		const manner = this.manner(flags, settings);
		const { keys } = await openShielded(settings, { ...flags, key: args.key }, manner);
		this.printScalar(writePaymentAddress(addressOfKeys(keys, freshDiversifier()), settings.dialect));
	}
}

/** About half of all are valid. */
function freshDiversifier(): Uint8Array {
	for (;;) {
		const diversifier = randomBytes(11);
		if (diversifiedBase(diversifier)) return diversifier;
	}
}
