import { randomBytes } from "node:crypto";
import { Args, Flags } from "@oclif/core";
import { addShielded, checkShieldedLabel } from "../../keystore/shielded-keystore.js";
import { keysOfSpendingKey, type ShieldedKeys } from "../../protocol/sapling/key-set.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags, passwordFlags } from "../../terminal/flags/flags.js";
import { newPassword } from "../../terminal/keys/secrets.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { one } from "../../terminal/schema/result-shape.js";
import { shieldedKeyShape, shieldedRecord } from "../../terminal/shielded/shielded-output.js";

export default class ShieldedNew extends CoinCommand {
	static override summary = "Make a new spending key of shielded addresses and store it encrypted";
	static override examples = ["<%= config.bin %> shielded new ann"];
	static override result = one(shieldedKeyShape);
	static override args = {
		name: Args.string({ description: "label of the key (default: its address)", ignoreStdin: true }),
	};
	static override flags = {
		...keystoreFlags,
		...passwordFlags,
		light: Flags.boolean({ description: "encrypt with little memory (n = 4096)" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ShieldedNew);
		const settings = await this.settings(flags);
		await checkShieldedLabel(settings.keystoreDirectory, args.name);
		const password = await newPassword(this.passwordSource(flags, settings), args.name ?? "the new key");
		const keys = freshKeys();
		const entry = await withProgress("encrypting the key", this.chatty, () =>
			addShielded(settings.keystoreDirectory, keys, password, {
				name: args.name,
				strength: flags.light ? "light" : "standard",
			}),
		);
		this.printRecord(shieldedRecord(entry, settings.dialect));
	}
}

/** Keys of which the network uses all but one in 2^250. */
function freshKeys(): ShieldedKeys {
	for (;;) {
		const sk = Uint8Array.from(randomBytes(32));
		sk[0] = (sk[0] as number) & 0x0f;
		const keys = keysOfSpendingKey(sk);
		if (keys) return keys;
	}
}
