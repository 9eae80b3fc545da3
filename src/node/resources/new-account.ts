/** Creating account records as the transaction types do (protocol/permissions §1.2). */

import { Account } from "../../protocol/messages.js";
import { defaultActivePermission, defaultOwnerPermission } from "../../protocol/permission.js";
import type { StateView } from "../state/view.js";

/** A new account, created at the head's time, with default permissions once multi-signature is on. */
export function newAccount(state: StateView, address: Uint8Array, type: number): Account {
	const account = Account.create({ address, type, create_time: state.properties.headTimestampMs });
	if (state.properties.on("ALLOW_MULTI_SIGN")) giveDefaultPermissions(state, account);
	return account;
}

/** Sets the default owner and active permissions of a record that the caller writes. */
function giveDefaultPermissions(state: StateView, account: Account): void {
	account.owner_permission = defaultOwnerPermission(account.address);
	account.active_permission = [
		defaultActivePermission(account.address, state.properties.get("ACTIVE_DEFAULT_OPERATIONS")),
	];
}
