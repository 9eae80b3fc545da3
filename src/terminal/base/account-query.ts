/** The base of questions about one account: the named one, or the active wallet. */

import { Args } from "@oclif/core";
import type { Settings, SettingsFlags } from "../../wallet/configuration/settings.js";
import type { NodeClient, NodeView } from "../../wallet/node/node-client.js";
import { accountOrActive } from "../../wallet/transaction/signing.js";
import { blockFlag, keystoreFlags, nodeFlags, solidityFlag } from "../flags/flags.js";
import { QueryCommand } from "./query-command.js";

export const accountArgument = {
	account: Args.string({ description: "address or label (default: the active wallet)", ignoreStdin: true }),
};

export const accountQueryFlags = { ...nodeFlags, ...blockFlag, ...solidityFlag, ...keystoreFlags };

/** Whom a question is about, and where it is asked. */
interface AccountSubject {
	readonly settings: Settings;
	readonly client: NodeClient;
	readonly view: NodeView;
	/** 21 bytes. */
	readonly address: Uint8Array;
}

export abstract class AccountQuery extends QueryCommand {
	/** @param account as typed; undefined: the active wallet @throws {Failure | KeystoreError} */
	protected async subject(
		flags: SettingsFlags & { readonly solidity?: boolean; readonly block?: string | undefined },
		account: string | undefined,
	): Promise<AccountSubject> {
		const settings = await this.settings(flags);
		return {
			settings,
			client: await this.stateClient(settings, flags.block),
			view: this.view(flags),
			address: await accountOrActive(settings, account),
		};
	}
}
