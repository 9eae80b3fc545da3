/** Plans a change of an account's permissions: who may sign what for it (protocol/wallet-formats §5). */

import { contractType } from "../../protocol/contract-types.js";
import { Failure } from "../failure.js";
import { fetchAccount } from "../node/chain-query.js";
import { checkRules, differenceLines, sameSet } from "../permission/permission-check.js";
import {
	numbered,
	type PermissionSet,
	permissionDocument,
	storedPermissions,
	updateContract,
} from "../permission/permission-set.js";
import type { Actor, TransactionPlan } from "./plan.js";

/** A permission update, with the permissions before and after it. */
export interface PermissionPlan extends TransactionPlan {
	readonly before: PermissionSet;
	readonly after: PermissionSet;
}

/** Whether an account already has the wanted permissions. */
export function isUnchanged(account: Actor["account"], wanted: PermissionSet): boolean {
	return sameSet(storedPermissions(account), numbered(wanted));
}

/**
 * Plans the replacement of the acting account's permissions. Does not check who is locked out by it; `permissionRemarks` does.
 * @throws {Failure} `usage` if nothing would change; `contract_validate` for what the network refuses
 */
export function permissionPlan({ owner, account, client }: Actor, wanted: PermissionSet): PermissionPlan {
	const before = storedPermissions(account);
	const after = numbered(wanted);
	if (isUnchanged(account, wanted))
		throw new Failure("usage", "nothing would change: the permissions are as wanted already");
	checkRules(after, account.is_witness);
	return {
		before,
		after,
		type: contractType("AccountPermissionUpdateContract"),
		parameter: updateContract(owner, after),
		details: differenceLines(before, after).map((line) => `  ${line}`),
		result: { before: permissionDocument(owner, before), after: permissionDocument(owner, after) },
		afterwards: async () => {
			const stored = await fetchAccount(client, owner);
			if (stored && sameSet(storedPermissions(stored), after)) return;
			throw new Failure(
				"permission_postcheck_mismatch",
				"the chain stores other permissions than were asked for",
				{ sent: true },
			);
		},
	};
}
